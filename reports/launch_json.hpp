#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/json_reader.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The parts of a launch that study rows and GEMM reports share.

[[nodiscard]] nlohmann::ordered_json kernel_json(const KernelReport& kernel);
[[nodiscard]] KernelReport read_kernel(const JsonReader& object);

/// "traffic": counter -> bytes, those that every machine has first. Adds "counters" if something
/// else was counted: unit of measurement -> counter -> value.
void write_counters(nlohmann::ordered_json& object, const std::vector<Counter>& counters);
[[nodiscard]] std::vector<Counter> read_counters(const JsonReader& object);
/// Every counter that a row may have, at 0.
[[nodiscard]] std::vector<Counter> all_counters(const std::vector<ResultRow>& rows);

/// unit -> {"instances", bucket -> cycles}, in the report's order.
[[nodiscard]] nlohmann::ordered_json buckets_json(const std::vector<UnitReport>& units);
[[nodiscard]] std::vector<UnitReport> read_buckets(const JsonReader& object);

}  // namespace stcsim
