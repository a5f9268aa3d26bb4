#pragma once

#include "cli/gemm/gemm_options.hpp"
#include "reports/gemm/explain_report.hpp"
#include "reports/gemm/gemm_report.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// What `stcsim gemm` prints: the GEMM, beside its dense baseline if it is sparse.
/// @param runner  of options.machine
[[nodiscard]] GemmReport simulate_gemm(const GemmOptions& options, MachineRunner& runner);

/// What `stcsim explain` prints. This process must not have simulated anything before.
[[nodiscard]] ExplainReport explain_gemm(const GemmOptions& options, std::int64_t jobs);

}  // namespace stcsim
