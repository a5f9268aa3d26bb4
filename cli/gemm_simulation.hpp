#pragma once

#include "cli/gemm_options.hpp"
#include "reports/gemm_report.hpp"
#include "sim/run/machine_runner.hpp"

namespace stcsim {

/// What `stcsim gemm` prints: the GEMM, beside its dense baseline if it is sparse.
/// @param runner  of options.machine
[[nodiscard]] GemmReport simulate_gemm(const GemmOptions& options, MachineRunner& runner);

}  // namespace stcsim
