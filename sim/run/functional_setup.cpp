#include "sim/run/functional_setup.hpp"

#include <algorithm>
#include <utility>

#include "common/error.hpp"
#include "sim/functional/pruned_operands.hpp"
#include "sim/kernel/column_gather.hpp"

namespace stcsim {
namespace {

FunctionalKernel functional_kernel(const MachineConfig& machine, const GemmProblem& problem,
                                   const FittedKernel& kernel, const KernelLaunch& launch) {
  FunctionalKernel functional;
  functional.problem = problem_as_run(kernel.config, kernel.hardware, problem);
  if (launch.gathers()) {
    functional.block_rows = problem.a_pattern.block_rows;
    functional.rows_of_b = problem.k;
  }
  functional.tile_m = kernel.config.tile_m;
  functional.tile_n = kernel.config.tile_n;
  functional.tile_k = kernel.config.tile_k;
  functional.stages = kernel.config.stages;
  functional.warps_m = kernel.config.warps_m;
  functional.warps_n = kernel.config.warps_n;
  functional.instruction_k = kernel.instruction.k;
  functional.pattern = kernel.hardware;
  functional.split_k = launch.splits;
  functional.fragment_buffers = launch.warp.fragment_buffers;
  functional.num_sms = machine.accelerator.num_sms;
  functional.slots_per_sm = launch.ctas_per_sm;
  functional.metadata = kernel.instruction.metadata;
  return functional;
}

/// Of the problem's K, whose order selected columns keep.
AccumulationOrder accumulation_order(const GemmProblem& problem, const KernelLaunch& launch) {
  const auto in_k = [&](std::int64_t k) {
    if (!launch.gathers()) return std::min(k, launch.k);
    return std::min(k / kOfSelectedColumns.m * problem.a_pattern.m, problem.k);
  };
  AccumulationOrder order;
  for (std::int64_t split = 0; split < launch.splits; ++split) {
    const std::int64_t begin = launch.first_step(split) * launch.tile_k;
    const std::int64_t end = begin + launch.steps_of(split) * launch.tile_k;
    order.splits.push_back({in_k(begin), in_k(end)});
  }
  order.step_k = launch.tile_k;
  return order;
}

/// The n-th metadata bit of the first batch entry, counted row by row and group by group.
void flip_bit(FunctionalOperands& operands, const FunctionalKernel& kernel, std::int64_t bit) {
  const std::int64_t bits_per_group = kernel.metadata_bits_per_group();
  const std::int64_t groups = (kernel.problem.k + kernel.pattern.m - 1) / kernel.pattern.m;
  if (bits_per_group == 0 || bit < 0 || bit >= kernel.problem.m * groups * bits_per_group) {
    throw ConfigError("the operand has no metadata bit " + std::to_string(bit) + "; it has " +
                      std::to_string(kernel.problem.m * groups * bits_per_group));
  }
  const std::int64_t group = bit / bits_per_group;
  flip_metadata_bit(operands, 0, group / groups, group % groups, bit % bits_per_group);
}

PlainOperands plain_operands(const GemmProblem& problem, const FunctionalOptions& options) {
  if (options.a) return given_operands(problem, *options.a, options.seed, options.prune);
  if (options.prune.empty()) return random_operands(problem, options.seed);
  return pruned_operands(problem, options.seed, options.prune);
}

/// @param pattern  of A
FunctionalOperands in_memory_of(const FunctionalKernel& kernel, Pattern pattern,
                                const PlainOperands& operands) {
  if (kernel.block_rows == 0) return to_machine(kernel, operands);
  SelectedColumns selected = select_columns(operands.a, pattern);
  FunctionalOperands in_memory = to_machine(kernel, {std::move(selected.a), operands.b});
  in_memory.gathered_rows = std::move(selected.rows_of_b);
  return in_memory;
}

FunctionalOperands machine_operands(const FunctionalKernel& kernel, Pattern pattern,
                                    const PlainOperands& operands,
                                    const FunctionalOptions& options) {
  FunctionalOperands in_memory = in_memory_of(kernel, pattern, operands);
  if (options.flip_metadata_bit) flip_bit(in_memory, kernel, *options.flip_metadata_bit);
  return in_memory;
}

}  // namespace

FunctionalSetup::FunctionalSetup(const MachineConfig& machine, const GemmProblem& problem,
                                 const FittedKernel& kernel, const KernelLaunch& launch,
                                 const FunctionalOptions& options)
    : problem_(problem),
      kernel_(functional_kernel(machine, problem, kernel, launch)),
      order_(accumulation_order(problem, launch)),
      operands_(plain_operands(problem, options)),
      datapath_(kernel_, machine_operands(kernel_, problem.a_pattern, operands_, options)) {}

FunctionalCheck FunctionalSetup::check() {
  if (kernel_.split_k > 1) datapath_.reduce_split_k();
  const MatrixComparison comparison =
      compare(from_machine(problem_, datapath_.c()), reference_gemm(problem_, operands_, order_));
  return {comparison.checked, comparison.mismatches,
          comparison.passed() ? "" : comparison.to_string()};
}

}  // namespace stcsim
