#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "tests/support/make_problem.hpp"

namespace stcsim::test {

/// The launch of `problem` with the machine's first kernel, K cut into `splits` parts.
inline KernelLaunch gemm_on(const MachineConfig& machine, const GemmProblem& problem,
                            std::int64_t splits = 1) {
  std::string why_not;
  const auto kernel = fit_kernel(machine, machine.kernels.front(), problem.dtype, kDense, why_not);
  if (!kernel) throw std::logic_error(why_not);
  return gemm_launch(machine, *kernel, problem, splits);
}

}  // namespace stcsim::test
