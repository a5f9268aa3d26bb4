#pragma once

#include <cstdint>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_estimate.hpp"
#include "sim/kernel/possible_kernels.hpp"

namespace stcsim {

/// A kernel with the number of k slices it would run with, and the launch that follows from both.
struct KernelCandidate {
  FittedKernel kernel;
  KernelLaunch launch;
  /// Cycles of the machine's highest clock, if it is known which one a kernel has (EstimatedTime).
  double estimated_cycles = 0;
};

[[nodiscard]] bool is_ranked_before(const KernelCandidate& a, const KernelCandidate& b);

/// Estimates so close may as well be the other way round.
inline constexpr double kCloseEstimates = 1.05;

/// `kernel` with the best-ranked number of k slices, of those of `splits` that are possible.
[[nodiscard]] KernelCandidate best_split(const MachineConfig& machine, const FittedKernel& kernel,
                                         const GemmProblem& problem,
                                         const std::vector<std::int64_t>& splits,
                                         Waves waves = Waves::as_they_are);

/// The machine's own kernels, each with the best of the machine's numbers of k slices, in the order
/// of the list.
[[nodiscard]] std::vector<KernelCandidate> candidates_of_machine(const KernelTask& task);

/// The kernels that the chooser considers, in the order of the library's list; if its rule counts
/// whole waves, what it takes comes first.
[[nodiscard]] std::vector<KernelCandidate> candidates_of_library(const KernelTask& task,
                                                                 const LibraryConfig& library,
                                                                 Chooser chooser, Waves waves);

/// All that `auto` chooses from among the kernels of the machine's own list, with every number of k
/// slices, of CTAs per SM and of fragment buffers, best-ranked first.
[[nodiscard]] std::vector<KernelCandidate> every_candidate(const MachineConfig& machine,
                                                           const GemmProblem& problem,
                                                           const std::vector<Pattern>& hardware);

}  // namespace stcsim
