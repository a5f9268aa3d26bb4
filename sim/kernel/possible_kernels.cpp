#include "sim/kernel/possible_kernels.hpp"

#include <algorithm>
#include <optional>

#include "common/counts.hpp"
#include "sim/config/kernel_space.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"

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
         possible_splits(kernel, task.problem, splits_of(task, entry))) {
      KernelLaunch launch = gemm_launch(task.machine, kernel, task.problem, split_k);
      use(launch, {{launch.ctas_per_sm, kernel.fragment_buffers}});
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

std::vector<std::int64_t> possible_splits(const FittedKernel& kernel, const GemmProblem& problem,
                                          std::vector<std::int64_t> splits) {
  const std::int64_t most = most_splits(kernel, problem);
  std::erase_if(splits, [&](std::int64_t split_k) { return split_k > most; });
  if (splits.empty()) splits = {1};
  return splits;
}

void for_each_kernel(const KernelTask& task, bool with_fewer_buffers,
                     const std::function<void(const FittedKernel&)>& use) {
  for (const MmaInstruction& instruction : task.instructions) {
    for (const KernelConfig& config : task.kernels) {
      if (!may_run(config, instruction.pattern, task.problem)) continue;
      std::int64_t most = 0;
      std::int64_t buffers = 0;
      for (FittedKernel& kernel : fit_variants(task.machine, config, instruction)) {
        const bool adds_to_all = with_fewer_buffers && kernel.fragment_buffers != buffers;
        const std::int64_t least = adds_to_all ? 1 : most + 1;
        most = std::max(most, kernel.ctas_per_sm);
        buffers = kernel.fragment_buffers;
        for (; kernel.ctas_per_sm >= least; --kernel.ctas_per_sm) use(kernel);
      }
    }
  }
}

std::vector<std::int64_t> splits_of(const KernelTask& task, const LibraryKernel& entry) {
  const GemmProblem& problem = task.problem;
  const std::int64_t tiles =
      ceil_div(problem.m, entry.kernel.tile_m) * ceil_div(problem.n, entry.kernel.tile_n);
  const bool fills_sms = tiles * problem.batch_count >= task.machine.accelerator.num_sms;
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
      if (entry.any_alignment != is_unaligned) continue;
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
  const StackConfig stack = stack_named(machine, policy.stack);
  for (const Pattern pattern : hardware) {
    const KernelTask task(machine, problem, {pattern});
    const LibraryConfig* const library =
        library_named(machine, pattern.is_dense() ? stack.dense : stack.sparse);
    if (library != nullptr) {
      for_each_of_library(task, *library, use);
    } else {
      for_each_of_machine(task, use);
    }
  }
}

}  // namespace stcsim
