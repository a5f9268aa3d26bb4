#include "sim/kernel/kernel_candidate.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "common/counts.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/mapper.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"

namespace stcsim {
namespace {

using UsePossible = std::function<void(KernelLaunch&, const std::vector<Occupancy>&)>;

Occupancy occupancy_of(const FittedKernel& kernel) {
  return {kernel.ctas_per_sm, kernel.fragment_buffers};
}

/// As kernels of libraries run: an SM holds as many CTAs as it can, and the grid has.
void for_each_of_library(const KernelTask& task, const LibraryConfig& library,
                         const UsePossible& use) {
  const auto use_all = [&](const LibraryKernel& entry, const FittedKernel& kernel) {
    for (const std::int64_t split_k :
         possible_splits(kernel, task.problem, splits_of(task, entry, kernel))) {
      KernelLaunch launch = gemm_launch(task.machine, kernel, task.problem, split_k);
      use(launch, {{launch.main_loops_per_sm(), kernel.fragment_buffers}});
    }
  };
  for_each_considered(task, library, Chooser::either, use_all);
}

bool is_chosen_by(const LibraryKernel& entry, Chooser chooser) {
  if (entry.chosen_by.empty() || chooser == Chooser::either) return true;
  return entry.chosen_by == (chooser == Chooser::rule ? kByRule : kBySearch);
}

/// With every number of k slices. Where the grid fills no more slots, a smaller number of them says
/// the same.
void for_each_split(const KernelTask& task, const FittedKernel& kernel,
                    const std::vector<Occupancy>& occupancies, const UsePossible& use) {
  std::vector<Occupancy> that_differ;
  for (const std::int64_t split_k : possible_splits(kernel, task.problem, task.machine.split_k)) {
    KernelLaunch launch = gemm_launch(task.machine, kernel, task.problem, split_k);
    const std::int64_t most = ceil_div(launch.ctas(), task.machine.accelerator.num_sms);
    that_differ.clear();
    for (const Occupancy& one : occupancies) {
      if (one.ctas_per_sm <= most) that_differ.push_back(one);
    }
    use(launch, that_differ);
  }
}

/// With every number of CTAs per SM and of fragment buffers.
void for_each_of_machine(const KernelTask& task, const UsePossible& use) {
  std::optional<FittedKernel> kernel;
  std::vector<Occupancy> occupancies;
  const auto end_kernel = [&] {
    if (kernel) for_each_split(task, *kernel, occupancies, use);
    occupancies.clear();
  };
  for_each_kernel(task, true, [&](const FittedKernel& one) {
    const bool is_same =
        kernel && kernel->config.name == one.config.name && kernel->instruction == one.instruction;
    if (!is_same) {
      end_kernel();
      kernel = one;
    }
    occupancies.push_back(occupancy_of(one));
  });
  end_kernel();
}

bool has_own_dense(const KernelTask& task) {
  std::string why_not;
  return std::ranges::any_of(task.kernels, [&](const KernelConfig& config) {
    return !config.sparse &&
           fit_kernel(task.machine, config, task.problem.dtype, kDense, why_not).has_value();
  });
}

using Candidates = std::vector<KernelCandidate>;

double estimate_with_reduction(const MachineConfig& machine, const GemmProblem& problem,
                               const KernelLaunch& launch, Waves waves) {
  double cycles = estimate_cycles(machine, launch, waves);
  if (launch.splits > 1) {
    cycles += estimate_cycles(machine, reduction_launch(machine, problem, launch));
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

/// As cuDNN's and CUTLASS' grids say: as many slices as fill one wave. Where that is one slice,
/// also those with which tiles fill two, three, ... `waves` as far as whole slices can.
std::vector<std::int64_t> filling_splits(std::int64_t tiles, std::int64_t slots, std::int64_t most,
                                         std::int64_t waves) {
  std::vector<std::int64_t> splits{std::clamp<std::int64_t>(slots / tiles, 1, most)};
  for (std::int64_t wave = 2; splits.front() == 1 && wave <= waves; ++wave) {
    const std::int64_t fill = std::clamp<std::int64_t>(wave * slots / tiles, 1, most);
    if (splits.back() != fill) splits.push_back(fill);
  }
  return splits;
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

KernelTask::KernelTask(const MachineConfig& on, const GemmProblem& gemm,
                       const std::vector<Pattern>& hardware)
    : machine(on), problem(gemm), kernels(all_kernels(on)) {
  for (const Pattern pattern : hardware) {
    for (const MmaInstruction& one :
         instructions_for(machine.accelerator.sm, problem.dtype, pattern)) {
      instructions.push_back(one);
    }
  }
}

std::vector<KernelConfig> KernelTask::kernels_for(const MmaInstruction& instruction) const {
  std::string why_not;
  const bool has_own = std::ranges::any_of(instructions, [&](const MmaInstruction& one) {
    return one.pattern == instruction.pattern &&
           std::ranges::any_of(kernels, [&](const KernelConfig& config) {
             return may_run(config, one.pattern, problem) &&
                    fit_kernel(machine, config, one, why_not);
           });
  });
  if (has_own && has_own_dense(*this)) return kernels;
  std::vector<KernelConfig> usable = has_own ? kernels : std::vector<KernelConfig>();
  for (KernelConfig& one : mapped_kernels(machine, instruction, &problem)) {
    usable.push_back(std::move(one));
  }
  return usable;
}

std::vector<std::int64_t> possible_splits(const FittedKernel& kernel, const GemmProblem& problem,
                                          std::vector<std::int64_t> splits) {
  const std::int64_t most = most_splits(kernel, problem);
  std::erase_if(splits, [&](std::int64_t split_k) { return split_k > most; });
  if (splits.empty()) splits = {1};
  return splits;
}

void for_each_kernel(const KernelTask& task, bool with_fewer_buffers,
                     const std::function<void(const FittedKernel&)>& use) {
  const auto use_variants = [&](const KernelConfig& config, const MmaInstruction& instruction) {
    if (!may_run(config, instruction.pattern, task.problem)) return;
    std::int64_t most = 0;
    std::int64_t buffers = 0;
    for (FittedKernel& kernel : fit_variants(task.machine, config, instruction)) {
      const bool adds_to_all = with_fewer_buffers && kernel.fragment_buffers != buffers;
      const std::int64_t least = adds_to_all ? 1 : most + 1;
      most = std::max(most, kernel.ctas_per_sm);
      buffers = kernel.fragment_buffers;
      for (; kernel.ctas_per_sm >= least; --kernel.ctas_per_sm) use(kernel);
    }
  };
  for (const MmaInstruction& instruction : task.instructions) {
    for (const KernelConfig& config : task.kernels_for(instruction)) {
      use_variants(config, instruction);
    }
  }
}

std::vector<std::int64_t> splits_of(const KernelTask& task, const LibraryKernel& entry,
                                    const FittedKernel& kernel) {
  const GemmProblem problem = problem_as_run(kernel.config, kernel.hardware, task.problem);
  const std::int64_t tiles = ceil_div(problem.m, entry.kernel.tile_m) *
                             ceil_div(problem.n, entry.kernel.tile_n) * problem.batch_count;
  const std::int64_t sms = task.machine.accelerator.num_sms;
  if (entry.splits_k && entry.fills_waves > 0) {
    const std::int64_t most =
        std::max<std::int64_t>(1, std::min(entry.most_splits, problem.k / entry.min_k_per_split));
    return filling_splits(tiles, sms * kernel.ctas_per_sm, most, entry.fills_waves);
  }
  const bool fills_sms = tiles >= sms;
  if (!entry.splits_k || (fills_sms && problem.k < entry.splits_any_grid_from_k)) return {1};
  std::vector<std::int64_t> splits = task.machine.split_k;
  std::erase_if(splits, [&](std::int64_t split_k) {
    return split_k > 1 &&
           (split_k > entry.most_splits || problem.k / split_k < entry.min_k_per_split);
  });
  return splits;
}

void for_each_considered(
    const KernelTask& task, const LibraryConfig& library, Chooser chooser,
    const std::function<void(const LibraryKernel&, const FittedKernel&)>& use) {
  std::string why_not;
  for (const MmaInstruction& instruction : task.instructions) {
    const bool is_unaligned = needs_any_alignment(library, task.problem, instruction.pattern);
    for (const LibraryKernel& entry : library.kernels) {
      if (entry.kernel.any_alignment != is_unaligned) continue;
      if (!is_chosen_by(entry, chooser)) continue;
      if (!may_run(entry.kernel, instruction.pattern, task.problem)) continue;
      const auto kernel = fit_kernel(task.machine, entry.kernel, instruction, why_not);
      if (kernel && is_considered(entry, *kernel, task.machine, task.problem)) use(entry, *kernel);
    }
  }
}

void for_each_possible(const MachineConfig& machine, const GemmProblem& problem,
                       const std::vector<Pattern>& hardware, const KernelPolicy& policy,
                       const UsePossible& use) {
  for (const Pattern pattern : hardware) {
    const KernelTask task(machine, problem, {pattern});
    for (const std::string& source : sources_of(machine, policy.stack, problem, pattern)) {
      const LibraryConfig* const library = library_named(machine, source);
      if (library != nullptr) {
        for_each_of_library(task, *library, use);
      } else {
        for_each_of_machine(task, use);
      }
    }
  }
}

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
    if (one.launch.main_loops_per_sm() == kernel.ctas_per_sm) candidates.push_back(std::move(one));
  });
  return candidates;
}

std::vector<KernelCandidate> candidates_of_library(const KernelTask& task,
                                                   const LibraryConfig& library, Chooser chooser,
                                                   Waves waves) {
  Candidates candidates;
  const auto add = [&](const LibraryKernel& entry, const FittedKernel& kernel) {
    candidates.push_back(
        best_split(task.machine, kernel, task.problem, splits_of(task, entry, kernel), waves));
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
      if (one.launch.main_loops_per_sm() == kernel.ctas_per_sm)
        candidates.push_back(std::move(one));
    }
  });
  std::stable_sort(candidates.begin(), candidates.end(), is_ranked_before);
  return candidates;
}

}  // namespace stcsim
