#include "sim/run/gemm_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "models/functional/functional_datapath.hpp"
#include "models/functional/number_format.hpp"
#include "sim/functional/operands.hpp"
#include "sim/functional/reference_gemm.hpp"
#include "sim/kernel/column_gather.hpp"
#include "sim/kernel/convolution.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/kernel_contest.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/sampling.hpp"

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
  functional.instruction_m = kernel.instruction.m;
  functional.instruction_n = kernel.instruction.n;
  functional.instruction_k = kernel.instruction.k;
  functional.pattern = kernel.hardware;
  functional.split_k = launch.splits;
  functional.fragment_buffers = launch.warp.fragment_buffers;
  functional.num_sms = machine.accelerator.num_sms;
  functional.slots_per_sm = launch.ctas_per_sm;
  functional.metadata = kernel.instruction.metadata;
  return functional;
}

/// What the data of instructions mean for their time, where stages pass messages.
std::optional<SelectionRules> selection_rules(const MachineConfig& machine,
                                              const FittedKernel& kernel) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const OperandSelectorConfig& selector = sm.operand_selector;
  if (!sm.passes_messages() || kernel.hardware.of_outputs) return std::nullopt;
  SelectionRules rules;
  const SkippedZeros skipped = selector.skipped_zeros;
  rules.skips_a = skipped == SkippedZeros::a || skipped == SkippedZeros::both;
  rules.skips_b = skipped == SkippedZeros::b || skipped == SkippedZeros::both;
  rules.window = selector.skip_window;
  rules.lane_inputs = selector.lane_inputs;
  rules.lanes = selector.lanes_of(kernel.hardware);
  rules.is_packed = selector.has_packed_slots;
  constexpr std::int64_t kBitsOfByte = 8;
  const DataType dtype = kernel.instruction.dtype;
  rules.element_bits = bytes_of(dtype, kBitsOfByte);
  const std::uint32_t minus_zero = encode(dtype, -0.0);
  rules.value_bits = ~minus_zero;
  return rules.depend_on_data(kernel.hardware) ? std::optional(rules) : std::nullopt;
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

PlainOperands pruned_or_given(const GemmProblem& problem, const FunctionalOptions& options) {
  if (options.a) return given_operands(problem, *options.a, options.seed, options.prune);
  if (options.prune.empty()) return random_operands(problem, options.seed);
  return pruned_operands(problem, options.seed, options.prune);
}

PlainOperands plain_operands(const GemmProblem& problem, const FunctionalOptions& options) {
  PlainOperands operands = pruned_or_given(problem, options);
  if (problem.a_pattern.of_outputs) operands.mask = random_mask(problem, options.seed + 3);
  if (options.b) take_b(problem, *options.b, operands);
  make_zeros(operands.a, options.a_zeros, options.seed + 1);
  make_zeros(operands.b, options.b_zeros, options.seed + 2);
  return operands;
}

/// @param run  the problem as kernels run it
PlainOperands operands_as_run(const GemmProblem& problem, const GemmProblem& run,
                              const FunctionalOptions& options) {
  PlainOperands operands = plain_operands(problem, options);
  return run == problem ? operands : to_windows(problem, operands);
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

/// Operands, datapath and reference of one GEMM that is run with values.
class FunctionalSetup {
 public:
  FunctionalSetup(const MachineConfig& machine, const GemmProblem& problem,
                  const FittedKernel& kernel, const KernelLaunch& launch,
                  const FunctionalOptions& options)
      : problem_(in_windows(machine, problem)),
        kernel_(functional_kernel(machine, problem_, kernel, launch)),
        order_(accumulation_order(problem_, launch)),
        operands_(operands_as_run(problem, problem_, options)),
        rules_(selection_rules(machine, kernel)),
        datapath_(kernel_, in_memory_of(kernel_, problem_.a_pattern, operands_), rules_) {
    if (options.circuit != nullptr) datapath_.stand_in(options.circuit);
    if (options.flip_metadata_bit) {
      datapath_.disturb(*options.flip_metadata_bit, machine.accelerator.sm.passes_messages());
    }
  }

  [[nodiscard]] Datapath& datapath() { return datapath_; }
  /// Whether the launch may take another time than without values.
  [[nodiscard]] bool decides_time() const { return rules_.has_value(); }
  /// After the run: finishes split-K and compares C with the reference.
  /// @param is_sampled  CTAs may have been left out: so are their elements
  [[nodiscard]] FunctionalCheck check(bool is_sampled) {
    IsAsked is_asked;
    if (kernel_.pattern.of_outputs) {
      is_asked = [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
        return operands_.mask.at(batch, row, column) != 0;
      };
      if (kernel_.split_k > 1) datapath_.reduce_split_k();
    } else if (is_sampled) {
      is_asked = [&](std::int64_t batch, std::int64_t row, std::int64_t column) {
        return datapath_.is_stored(batch, row, column);
      };
    } else if (kernel_.split_k > 1) {
      datapath_.reduce_split_k();
    }
    const PlainMatrix c = from_machine(problem_, is_sampled ? datapath_.c_so_far() : datapath_.c());
    const PlainMatrix reference = reference_gemm(problem_, operands_, order_, is_asked);
    const MatrixComparison comparison = compare(c, reference, is_asked);
    if (comparison.passed() && !is_sampled && !is_pruned_alike(c, reference)) {
      return {comparison.checked, 1, "the epilogue keeps others than of the reference"};
    }
    return {comparison.checked, comparison.mismatches,
            comparison.passed() ? "" : comparison.to_string()};
  }

 private:
  /// What the epilogue writes of two results that compare equal: -0 is no less than +0.
  [[nodiscard]] bool is_pruned_alike(const PlainMatrix& c, const PlainMatrix& reference) const {
    for (std::int64_t batch = 0; !problem_.c_pattern.is_dense() && batch < c.batch_count; ++batch) {
      const pruning::Compressed written = pruned_result(problem_, c, batch);
      const pruning::Compressed expected = pruned_result(problem_, reference, batch);
      if (written.values != expected.values || written.metadata != expected.metadata) return false;
    }
    return true;
  }

  GemmProblem problem_;
  FunctionalKernel kernel_;
  AccumulationOrder order_;
  PlainOperands operands_;
  std::optional<SelectionRules> rules_;
  FunctionalDatapath datapath_;
};

/// Runs a machine at other clocks and leaves it at the one it was built for.
class OtherClock {
 public:
  explicit OtherClock(MachineRunner& runner) : runner_(runner) {}
  OtherClock(const OtherClock&) = delete;
  OtherClock& operator=(const OtherClock&) = delete;
  ~OtherClock() { runner_.set_clock(runner_.machine_as_built().clock_mhz); }

 private:
  MachineRunner& runner_;
};

}  // namespace

GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy) {
  KernelContest contest(runner, problem, policy, at_own_clock(runner.machine()));
  BestRun best = contest.fastest();
  contest.conclude(best);
  return best.run;
}

GemmRun run_gemm_sustained(MachineRunner& runner, const GemmProblem& problem,
                           const KernelPolicy& policy, const LaunchConditions& conditions,
                           const LaunchTrace& trace) {
  const OtherClock back(runner);
  const BestRun best = run_sustained(runner, problem, policy, conditions);
  if (trace.window > Cycles()) {
    *trace.timeline = runner.trace(best.candidate.launch, trace.window);
  }
  return best.run;
}

FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                   const KernelPolicy& policy, const LaunchConditions& conditions,
                                   const FunctionalOptions& options) {
  const OtherClock back(runner);
  BestRun best = run_sustained(runner, problem, policy, conditions);
  // Channels that a kernel pads have values of their own, as any others: C is larger by them.
  const KernelCandidate& candidate = best.candidate;
  FunctionalSetup setup(runner.machine(), with_whole_channels(candidate.kernel.config, problem),
                        candidate.kernel, candidate.launch, options);
  if (policy.sampled && !setup.decides_time()) {
    throw ConfigError("no time of this kernel depends on values: leave out --sampled");
  }
  if (policy.sampled) runner.set_sampling(kEffortWithValues);
  LaunchResult with_values = finish_candidate(runner, problem, best.candidate,
                                              runner.run(best.candidate.launch, &setup.datapath()));
  if (setup.decides_time()) {
    with_values.clock_mhz = best.run.result.clock_mhz;
    with_values.board_watts = best.run.result.board_watts;
    best.run.result = std::move(with_values);
    return {best.run, setup.check(best.run.result.sampled.has_value())};
  }
  with_values.events = best.run.result.events;  // fast-forward skips nothing if values travel
  with_values.clock_mhz = best.run.result.clock_mhz;
  with_values.board_watts = best.run.result.board_watts;
  if (with_values != best.run.result) {
    throw SimulationError("carrying values has changed the timing");
  }
  return {best.run, setup.check(false)};
}

LaunchResult run_stream(MachineRunner& runner, const StreamWork& work) {
  const KernelLaunch launch = stream_launch(runner.machine(), work);
  LaunchResult result = to_result(runner.run(launch));
  result.clock_mhz = runner.machine().clock_mhz;
  result.kernel.name = "stream";
  result.kernel.ctas = launch.ctas();
  result.kernel.ctas_per_sm = launch.ctas_per_sm;
  result.kernel.warps = launch.warps;
  result.mma_instructions = 0;
  result.actions.vector_bytes = work_of(result).l2_bytes;
  return result;
}

LaunchResult run_attention(MachineRunner& runner, const AttentionWork& work) {
  const MachineConfig machine = runner.machine();
  const KernelLaunch launch = attention_launch(machine, work);
  runner.set_sampling(std::nullopt);
  LaunchResult result = to_result(runner.run(launch));
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const MmaInstruction& instruction = *launch.warp.instruction;
  result.clock_mhz = machine.clock_mhz;
  result.multiplier_macs = result.mma_instructions * kept_macs(instruction);
  result.peak_macs = result.cycles * peak_macs_per_clk(machine, work.shape.dtype);
  result.actions = actions_of(instruction, sm, result.mma_instructions);
  const AttentionTile tile = attention_tile(machine, work);
  result.kernel.name = fmt::format("{} attention {}", to_string(work.kernel),
                                   work.backward ? "backward" : "forward");
  result.kernel.tile_m = tile.queries;
  result.kernel.tile_n = tile.keys;
  result.kernel.tile_k = work.shape.head_size;
  result.kernel.stages = launch.stages;
  result.kernel.warps = launch.warps;
  result.kernel.ctas = launch.ctas();
  result.kernel.ctas_per_sm = launch.main_loops_per_sm();
  result.kernel.waves =
      static_cast<double>(launch.ctas()) /
      static_cast<double>(machine.accelerator.num_sms * launch.main_loops_per_sm());
  return result;
}

}  // namespace stcsim
