#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/json_reader.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The parts of a launch that study rows and GEMM reports share.

[[nodiscard]] nlohmann::ordered_json kernel_json(const KernelReport& kernel);
[[nodiscard]] KernelReport read_kernel(const JsonReader& object);

[[nodiscard]] nlohmann::ordered_json traffic_json(const TrafficReport& traffic);
[[nodiscard]] TrafficReport read_traffic(const JsonReader& object);

/// unit -> {"instances", bucket -> cycles}, in the report's order.
[[nodiscard]] nlohmann::ordered_json buckets_json(const std::vector<UnitReport>& units);
[[nodiscard]] std::vector<UnitReport> read_buckets(const JsonReader& object);

}  // namespace stcsim
