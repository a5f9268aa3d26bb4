#include "sim/kernel/kernel_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/kernel_estimate.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim {
namespace {

double estimate_with_reduction(const MachineConfig& machine, const GemmProblem& problem,
                               const KernelLaunch& launch) {
  double cycles = estimate_cycles(machine, launch);
  if (launch.splits > 1) {
    cycles += estimate_cycles(machine, reduction_launch(machine, problem, launch.splits));
  }
  return cycles;
}

KernelCandidate best_split(const MachineConfig& machine, const FittedKernel& kernel,
                           const GemmProblem& problem, std::vector<std::int64_t> splits) {
  KernelCandidate best;
  const std::int64_t most = most_splits(kernel, problem);
  std::erase_if(splits, [&](std::int64_t split_k) { return split_k > most; });
  if (splits.empty()) splits = {1};
  for (const std::int64_t split_k : splits) {
    const KernelLaunch launch = gemm_launch(machine, kernel, problem, split_k);
    const double cycles = estimate_with_reduction(machine, problem, launch);
    if (best.estimated_cycles == 0 || cycles < best.estimated_cycles)
      best = {kernel, launch, cycles};
  }
  return best;
}

std::vector<KernelCandidate> of_machine(const MachineConfig& machine, const GemmProblem& problem,
                                        Pattern hardware) {
  std::vector<KernelCandidate> candidates;
  std::string why_not;
  for (const KernelConfig& config : machine.kernels) {
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (kernel) candidates.push_back(best_split(machine, *kernel, problem, machine.split_k));
  }
  return candidates;
}

std::vector<KernelCandidate> of_library(const MachineConfig& machine, const GemmProblem& problem,
                                        Pattern hardware, const LibraryConfig& library) {
  std::vector<KernelCandidate> candidates;
  std::string why_not;
  for (const LibraryKernel& entry : library.kernels) {
    const auto kernel = fit_kernel(machine, entry.kernel, problem.dtype, hardware, why_not);
    if (!kernel || !is_considered(entry, *kernel, machine, problem)) continue;
    const std::vector<std::int64_t> splits =
        entry.splits_k ? machine.split_k : std::vector<std::int64_t>{1};
    candidates.push_back(best_split(machine, *kernel, problem, splits));
  }
  return candidates;
}

/// K-steps of all CTAs of a large GEMM: more than two full waves of 128x128 tiles with k = 1024
/// have on a hundred SMs.
constexpr std::int64_t kManySteps = 16'384;
/// Estimates so close may as well be the other way round.
constexpr double kClose = 1.05;

bool is_large(const KernelLaunch& launch) {
  return launch.ctas() * launch.k_steps / launch.splits > kManySteps;
}

/// Candidates that are simulated, if it is not said how many. Of large GEMMs estimates tell enough.
constexpr std::int64_t kCandidates = 3;
constexpr std::int64_t kCandidatesOfLarge = 1;

/// Large GEMMs run with tiles that have an SM for themselves, as libraries do it, unless that is
/// estimated to be clearly slower: CTAs that share an SM drift against each other, so that their
/// launches hardly ever recur and take minutes to simulate. Expects the best-ranked first.
void put_shared_sms_last(std::vector<KernelCandidate>& candidates) {
  const auto shares = [](const KernelCandidate& one) { return one.launch.ctas_per_sm > 1; };
  const auto alone = std::find_if_not(candidates.begin(), candidates.end(), shares);
  if (alone == candidates.end()) return;
  const double close = alone->estimated_cycles / kClose;
  std::stable_partition(candidates.begin(), candidates.end(), [&](const KernelCandidate& one) {
    return !shares(one) || !is_large(one.launch) || one.estimated_cycles < close;
  });
}

std::vector<KernelCandidate> automatic(const MachineConfig& machine, const GemmProblem& problem,
                                       Pattern hardware, const std::string& library) {
  std::vector<KernelCandidate> candidates =
      library.empty() ? of_machine(machine, problem, hardware)
                      : of_library(machine, problem, hardware, library_named(machine, library));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const KernelCandidate& a, const KernelCandidate& b) {
                     return a.estimated_cycles < b.estimated_cycles;
                   });
  if (library.empty()) put_shared_sms_last(candidates);
  return candidates;
}

KernelCandidate named(const MachineConfig& machine, const GemmProblem& problem, Pattern hardware,
                      const std::string& name) {
  const auto config = std::find_if(machine.kernels.begin(), machine.kernels.end(),
                                   [&](const KernelConfig& kernel) { return kernel.name == name; });
  if (config == machine.kernels.end()) {
    throw ConfigError(
        fmt::format("{} has no kernel '{}'; its kernels are listed by "
                    "'stcsim list kernels --arch {}'",
                    machine.name, name, machine.name));
  }
  std::string why_not;
  const auto kernel = fit_kernel(machine, *config, problem.dtype, hardware, why_not);
  if (!kernel) throw ConfigError(fmt::format("kernel '{}' cannot be used: {}", name, why_not));
  return best_split(machine, *kernel, problem, machine.split_k);
}

}  // namespace

std::vector<KernelCandidate> kernel_candidates(const MachineConfig& machine,
                                               const GemmProblem& problem, Pattern hardware,
                                               const KernelPolicy& policy) {
  if (policy.kernel != "auto") return {named(machine, problem, hardware, policy.kernel)};
  const std::string& library = hardware.is_dense() ? policy.library : policy.sparse_library;
  std::vector<KernelCandidate> candidates = automatic(machine, problem, hardware, library);
  if (candidates.empty()) {
    const std::string whose = library.empty() ? machine.name : library + " on " + machine.name;
    throw ConfigError(fmt::format("none of the kernels of {} can run {} {}", whose,
                                  to_string(problem.dtype), hardware.to_string()));
  }
  const bool is_one_enough = library.empty() && is_large(candidates.front().launch);
  const std::int64_t usual = is_one_enough ? kCandidatesOfLarge : kCandidates;
  const std::int64_t most = std::max<std::int64_t>(policy.candidates.value_or(usual), 1);
  if (std::ssize(candidates) > most) candidates.resize(static_cast<std::size_t>(most));
  return candidates;
}

}  // namespace stcsim
