#pragma once

#include <functional>
#include <vector>

#include "common/gemm.hpp"
#include "sim/kernel/kernel_candidate.hpp"
#include "sim/kernel/kernel_ranking.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {

/// Cycles of the machine's highest clock that take as long as a launch that is estimated to take
/// `cycles`, at the clock that it will have. Empty: all have the same.
using EstimatedTime = std::function<double(const KernelLaunch& launch, double cycles)>;

/// The candidates `policy` allows for `problem` as one of the patterns `hardware`, best-ranked
/// first: what the policy's stack considers (`auto`), or the named kernel, with every instruction
/// for each pattern and its best number of k slices, cut to policy.candidates. If that is not given
/// it is 1 where the stack chooses by heuristic, 3 where it searches (12 on a machine of one SM,
/// and of mapped ones), of large GEMMs 1 (not with a library). Of large GEMMs, kernels of which an
/// SM holds several CTAs come last, unless the others are estimated to be more than 5 % slower (not
/// with a library: its own rule decides). A search among a library's kernels has what the library's
/// rules would take too, wherever that ranks. If more are asked for than that, every_candidate()
/// follows. With kBestStack all of that is of the machine's own kernels, and what each other stack
/// would have follows (sides_of_stacks). Throws ConfigError if there is none.
[[nodiscard]] std::vector<KernelCandidate> kernel_candidates(const MachineConfig& machine,
                                                             const GemmProblem& problem,
                                                             const std::vector<Pattern>& hardware,
                                                             const KernelPolicy& policy);

/// @param time  orders what a search chooses from; libraries and users do not ask for it
[[nodiscard]] KernelRanking rank_kernels(const MachineConfig& machine, const GemmProblem& problem,
                                         const std::vector<Pattern>& hardware,
                                         const KernelPolicy& policy,
                                         const EstimatedTime& time = {});

}  // namespace stcsim
