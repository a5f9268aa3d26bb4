#pragma once

#include <string>
#include <string_view>

#include "reports/gemm_report.hpp"

namespace stcsim {

inline constexpr std::string_view kGemmSchema = "stcsim.gemm/1";

/// The report as a JSON document; docs/configuration.md lists the keys. 'dense', 'dense_cycles' and
/// 'speedup' are null without a dense baseline, 'functional' is null without functional mode.
/// @throws std::invalid_argument, SimulationError as study_to_json() and gemm_rates() do
[[nodiscard]] std::string gemm_to_json(const GemmReport& report);

/// The report as CSV of one line: the keys of the JSON document but 'config', flattened (csv.hpp).
/// The columns are the same with and without a baseline and functional mode.
[[nodiscard]] std::string gemm_to_csv(const GemmReport& report);

}  // namespace stcsim
