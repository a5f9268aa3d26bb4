#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/json_reader.hpp"
#include "sim/kernel/kernel_search.hpp"
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

/// "412 kernels could run it, 3 simulated, 350 known not to be faster, 59 left out: none of these
/// is more than 6.2 % faster"; of no search who chose the kernel.
/// @param is_named  by the user
[[nodiscard]] std::string search_text(const std::optional<KernelSearch>& search, bool is_named);

/// As docs/configuration.md says; null of no search.
[[nodiscard]] nlohmann::ordered_json search_json(const std::optional<KernelSearch>& search);

}  // namespace stcsim
