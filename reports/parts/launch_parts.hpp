#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/kernel/kernel_search.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The parts of a launch that study rows, GEMM reports and explanations share.

/// Adds m, n, k, batch_count, dtype and pattern.
void add_problem(nlohmann::ordered_json& object, const GemmProblem& problem);

/// Adds "traffic": counter -> bytes, those that every machine has first; and "counters" if
/// something else was counted: unit of measurement -> counter -> value.
void write_counters(nlohmann::ordered_json& object, const std::vector<Counter>& counters);
/// Every counter that a row may have, at 0.
[[nodiscard]] std::vector<Counter> all_counters(const std::vector<ResultRow>& rows);

/// unit -> {"instances", bucket -> cycles}, in the report's order.
[[nodiscard]] nlohmann::ordered_json buckets_json(const std::vector<UnitReport>& units);

/// An interval of a single GEMM, of which 80 % are told too.
[[nodiscard]] nlohmann::ordered_json gemm_interval_json(const LikelyInterval& interval);

/// "412 kernels could run it: 3 simulated, 350 cannot be faster, 59 left out: none of these
/// is more than 6.2 % faster"; of no search who chose the kernel.
/// @param is_named  by the user
[[nodiscard]] std::string search_text(const std::optional<KernelSearch>& search, bool is_named);

/// As docs/configuration.md says; null of no search.
[[nodiscard]] nlohmann::ordered_json search_json(const std::optional<KernelSearch>& search);

}  // namespace stcsim
