#include "sim/kernel/kernel_candidate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/kernel/library.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim {
namespace {

using Candidates = std::vector<KernelCandidate>;

double estimate_with_reduction(const MachineConfig& machine, const GemmProblem& problem,
                               const KernelLaunch& launch, Waves waves) {
  double cycles = estimate_cycles(machine, launch, waves);
  if (launch.splits > 1) {
    cycles += estimate_cycles(machine, reduction_launch(machine, problem, launch.splits));
  }
  return cycles;
}

/// `kernel` with each of them.
Candidates with_splits(const MachineConfig& machine, const FittedKernel& kernel,
                       const GemmProblem& problem, const std::vector<std::int64_t>& splits) {
  Candidates all;
  for (const std::int64_t split_k : possible_splits(kernel, problem, splits)) {
    const KernelLaunch launch = gemm_launch(machine, kernel, problem, split_k);
    all.push_back(
        {kernel, launch, estimate_with_reduction(machine, problem, launch, Waves::as_they_are)});
  }
  return all;
}

/// Who counts whole waves takes, of kernels that are as good as each other, the one with the
/// largest tiles: it ranks first. Published times of grids of few waves are those of such tiles.
void prefer_large_tiles(Candidates& candidates) {
  if (candidates.empty()) return;
  const auto best = std::min_element(candidates.begin(), candidates.end(), is_ranked_before);
  const double least = best->estimated_cycles;
  const auto area = [&](const KernelCandidate& one) {
    const bool is_close = one.estimated_cycles <= least * kCloseEstimates;
    return is_close ? one.launch.tile_m * one.launch.tile_n : 0;
  };
  const auto largest = std::max_element(
      candidates.begin(), candidates.end(),
      [&](const KernelCandidate& a, const KernelCandidate& b) { return area(a) < area(b); });
  if (area(*largest) == area(*best)) return;
  largest->estimated_cycles = least;
  std::rotate(candidates.begin(), largest, largest + 1);
}

}  // namespace

bool is_ranked_before(const KernelCandidate& a, const KernelCandidate& b) {
  return a.estimated_cycles < b.estimated_cycles;
}

/// Those that are slower even if DRAM took no time are not looked at.
KernelCandidate best_split(const MachineConfig& machine, const FittedKernel& kernel,
                           const GemmProblem& problem, const std::vector<std::int64_t>& splits,
                           Waves waves) {
  std::optional<KernelCandidate> best;
  for (const std::int64_t split_k : possible_splits(kernel, problem, splits)) {
    const KernelLaunch launch = gemm_launch(machine, kernel, problem, split_k);
    if (best && least_estimate_cycles(machine, launch, waves) >= best->estimated_cycles) continue;
    const double cycles = estimate_with_reduction(machine, problem, launch, waves);
    if (!best || cycles < best->estimated_cycles) best = {kernel, launch, cycles};
  }
  return *best;
}

std::vector<KernelCandidate> candidates_of_machine(const KernelTask& task) {
  Candidates candidates;
  for_each_kernel(task, false, [&](const FittedKernel& kernel) {
    KernelCandidate one = best_split(task.machine, kernel, task.problem, task.machine.split_k);
    // Where the grid fills no more slots, a smaller number of them says the same.
    if (one.launch.ctas_per_sm == kernel.ctas_per_sm) candidates.push_back(std::move(one));
  });
  return candidates;
}

std::vector<KernelCandidate> candidates_of_library(const KernelTask& task,
                                                   const LibraryConfig& library, Chooser chooser,
                                                   Waves waves) {
  Candidates candidates;
  const auto add = [&](const LibraryKernel& entry, const FittedKernel& kernel) {
    candidates.push_back(
        best_split(task.machine, kernel, task.problem, splits_of(task, entry), waves));
  };
  for_each_considered(task, library, chooser, add);
  if (waves == Waves::whole) prefer_large_tiles(candidates);
  return candidates;
}

std::vector<KernelCandidate> every_candidate(const MachineConfig& machine,
                                             const GemmProblem& problem,
                                             const std::vector<Pattern>& hardware) {
  std::vector<KernelCandidate> candidates;
  for_each_kernel(KernelTask(machine, problem, hardware), true, [&](const FittedKernel& kernel) {
    for (KernelCandidate& one : with_splits(machine, kernel, problem, machine.split_k)) {
      if (one.launch.ctas_per_sm == kernel.ctas_per_sm) candidates.push_back(std::move(one));
    }
  });
  std::stable_sort(candidates.begin(), candidates.end(), is_ranked_before);
  return candidates;
}

}  // namespace stcsim
