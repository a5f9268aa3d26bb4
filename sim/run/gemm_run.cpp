#include "sim/run/gemm_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "sim/kernel/instruction_choice.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/estimated_work.hpp"
#include "sim/run/functional_setup.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/run/operand_actions.hpp"

namespace stcsim {
namespace {

void require_supported(const MachineConfig& machine, const GemmProblem& problem) {
  validate(problem, "GEMM");
  if (machine.supports(problem.dtype)) return;
  std::string known;
  for (const DataType type : operand_data_types()) {
    if (machine.supports(type)) known += (known.empty() ? "" : ", ") + std::string(to_string(type));
  }
  throw ConfigError(fmt::format("{} does not multiply {}; it has {}", machine.name,
                                to_string(problem.dtype), known));
}

/// Bytes of an operand as it lies in memory, uncompressed.
std::int64_t stored_bytes(std::int64_t extent, std::int64_t k, const Footprint& footprint,
                          DataType type) {
  const std::int64_t rows = footprint.unique_rows > 0 ? footprint.unique_rows : extent;
  return rows * bytes_of(type, footprint.unique_k > 0 ? footprint.unique_k : k);
}

void require_memory(const MachineConfig& machine, const GemmProblem& problem) {
  const std::int64_t bytes =
      problem.batch_count * (stored_bytes(problem.m, problem.k, problem.a, problem.dtype) +
                             stored_bytes(problem.n, problem.k, problem.b, problem.dtype) +
                             bytes_of(output_of(problem.dtype), problem.m * problem.n));
  const std::int64_t capacity = machine.accelerator.dram.capacity_bytes;
  if (bytes <= capacity) return;
  throw ConfigError(
      fmt::format("A, B and C take {} bytes, must be at most {}, the DRAM's "
                  "'capacity_bytes' of {}",
                  bytes, capacity, machine.name));
}

/// As if somebody had locked the clock that it has.
LaunchConditions at_own_clock(const MachineConfig& machine) {
  LaunchConditions conditions;
  conditions.locked_clock_mhz = machine.clock_mhz;
  return conditions;
}

std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  for (const MultiplierRate& rate : sm.tensor_core.multipliers) {
    if (rate.dtype == dtype) return rate.fma_per_clk * sm.sub_cores * machine.accelerator.num_sms;
  }
  return 0;
}

LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                              const KernelCandidate& candidate,
                              const LaunchStatistics& statistics) {
  LaunchResult result = to_result(statistics);
  result.kernel = kernel_report(runner.machine(), candidate.kernel, candidate.launch);
  if (candidate.launch.splits > 1) {
    append_launch(result,
                  runner.run(reduction_launch(runner.machine(), problem, candidate.launch.splits)));
  }
  result.multiplier_macs = statistics.instructions() * kept_macs(candidate.kernel.instruction);
  result.actions =
      actions_of(candidate.kernel.instruction, runner.machine().accelerator.sm.operand_fetch,
                 statistics.instructions());
  result.peak_macs = result.cycles * peak_macs_per_clk(runner.machine(), problem.dtype);
  result.clock_mhz = runner.machine().clock_mhz;
  return result;
}

/// What narrow accesses are to blame for.
std::string alignment_note(const KernelCandidate& candidate) {
  const std::int64_t bytes =
      std::min(candidate.launch.a.access_bytes, candidate.launch.b.access_bytes);
  if (bytes == OperandStream::kWidestAccessBytes) return "";
  return fmt::format("rows of A or B are aligned to {} bytes only: loads of {}, not {}", bytes,
                     bytes, OperandStream::kWidestAccessBytes);
}

/// What keeps a sparse run from the pattern's full gain, as far as the tiling is to blame.
std::string padding_note(const KernelCandidate& candidate) {
  const std::int64_t padded = candidate.launch.k_steps * candidate.launch.tile_k;
  const std::int64_t k = candidate.launch.k;
  if (candidate.kernel.hardware.is_dense() || padded < k * 5 / 4) return "";
  return fmt::format("k = {} is padded to {} by the kernel's k-step of {}", k, padded,
                     candidate.launch.tile_k);
}

struct BestRun {
  GemmRun run;
  KernelCandidate candidate;
  double clock_mhz;  // at which it is compared
};

double real_of(std::int64_t cycles) {
  return static_cast<double>(cycles);
}
std::int64_t floored(double cycles) {
  return static_cast<std::int64_t>(std::floor(cycles));
}
std::int64_t raised(double cycles) {
  return static_cast<std::int64_t>(std::ceil(cycles));
}

/// Where the cycles of the faster one lie, of which a part was simulated; nothing if both were
/// simulated to their ends.
/// @param scale  one cycle of the slower one takes as long as so many of the faster one
std::optional<SampledPart> bound_of_faster(const LaunchResult& faster, const LaunchResult& slower,
                                           double scale) {
  if (!faster.sampled && !slower.sampled) return std::nullopt;
  SampledPart part =
      faster.sampled.value_or(SampledPart{0, 0, faster.kernel.ctas, faster.kernel.ctas});
  part.cycles_low = std::min(faster.cycles_low(), floored(scale * real_of(slower.cycles_low())));
  part.cycles_high = std::min(faster.cycles_high(), raised(scale * real_of(slower.cycles_high())));
  return part;
}

/// What a GEMM may run as, the pattern that saves most first.
std::vector<Pattern> allowed_hardware(const MachineConfig& machine, const SparsitySupport& support,
                                      const KernelPolicy& policy) {
  std::vector<Pattern> hardware = support.patterns;
  if (hardware.empty() || may_run_dense(machine, policy)) hardware.push_back(kDense);
  return hardware;
}

/// The board's steady state: a launch and the clock at which the board affords it. Its cycles
/// depend on the clock, for DRAM has its own, but little.
class SteadyState {
 public:
  SteadyState(MachineRunner& runner, DataType dtype, const LaunchConditions& conditions)
      : runner_(runner), dtype_(dtype), conditions_(conditions) {}

  [[nodiscard]] double clock_for(const LaunchResult& launch) const {
    return sustained_clock_mhz(runner_.machine_as_built(), dtype_, launch, conditions_);
  }
  /// `launch` ran at a clock near the steady one: as it is at that.
  void settle(LaunchResult& launch) const {
    launch.clock_mhz = clock_for(launch);
    find_watts(launch);
  }
  void find_watts(LaunchResult& launch) const {
    launch.board_watts = board_watts(runner_.machine_as_built(), dtype_, launch, launch.clock_mhz,
                                     conditions_.values);
  }
  [[nodiscard]] bool is_near(double clock_mhz) const {
    const double step = runner_.machine_as_built().power.clock_step_mhz;
    return std::abs(clock_mhz - runner_.machine().clock_mhz) <= step;
  }

 private:
  MachineRunner& runner_;
  DataType dtype_;
  LaunchConditions conditions_;
};

/// A GEMM and what it may run with on a machine, at whatever clock that runs.
class Contest {
 public:
  /// @param steady  each kernel counts at the clock that the board sustains with it; nullptr: at
  ///                the one at which it is simulated
  Contest(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
          const LaunchConditions& conditions, const SteadyState* steady = nullptr)
      : runner_(runner),
        problem_(problem),
        policy_(policy),
        same_operands_(conditions.same_operands),
        steady_(steady) {
    require_runnable(runner.machine(), problem);
    runner.set_sampling(policy.sampled ? std::optional<SamplingEffort>(SamplingEffort())
                                       : std::nullopt);
    support_ = sparsity_support(runner.machine(), problem, policy);
    kernels_ = gemm_kernels(runner.machine(), problem, policy, conditions);
  }

  [[nodiscard]] const KernelCandidate& first() const { return kernels_.ranking.candidates.front(); }
  [[nodiscard]] LaunchResult simulate(const KernelCandidate& candidate) {
    return finish_candidate(runner_, problem_, candidate, runner_.run(candidate.launch));
  }
  /// @param first_result  what simulate(first()) has found at this clock
  [[nodiscard]] BestRun fastest(LaunchResult first_result) {
    const double first_clock = clock_of(first_result);
    BestRun best{{std::move(first_result), first().kernel.hardware}, first(), first_clock};
    bool is_most_saving_measured = first().kernel.hardware == support_.hardware();
    std::vector<KernelLaunch> simulated{first().launch};
    for (std::size_t at = 1; at < kernels_.ranking.candidates.size(); ++at) {
      const KernelCandidate& candidate = kernels_.ranking.candidates[at];
      const Pattern hardware = candidate.kernel.hardware;
      is_most_saving_measured = is_most_saving_measured || hardware == support_.hardware();
      const std::int64_t simulated_before = runner_.simulated();
      const Cycles limit(at_full_clock(best.run.result.cycles, best.clock_mhz));
      const auto statistics = runner_.run_within(candidate.launch, limit);
      if (runner_.simulated() > simulated_before) simulated.push_back(candidate.launch);
      if (!statistics) continue;
      LaunchResult result = finish_candidate(runner_, problem_, candidate, *statistics);
      const double clock = clock_of(result);
      take_faster(best, {{std::move(result), hardware}, candidate, clock});
    }
    best.run.reason = reason_for(support_, problem_.a_pattern, best.run.hardware_pattern,
                                 is_most_saving_measured);
    best.run.gathers = best.candidate.launch.gathers();
    std::string& reason = best.run.reason;
    for (const std::string& note : {padding_note(best.candidate), alignment_note(best.candidate)}) {
      if (!note.empty()) reason += (reason.empty() ? "" : "; ") + note;
    }
    if (kernels_.ranking.is_search) best.run.search = examine(best, simulated);
    return best;
  }
  [[nodiscard]] BestRun fastest() { return fastest(simulate(first())); }

 private:
  [[nodiscard]] double clock_of(const LaunchResult& launch) const {
    return steady_ != nullptr ? steady_->clock_for(launch) : runner_.machine().clock_mhz;
  }
  /// Cycles of the highest clock that take as long: a kernel that needs more is not faster,
  /// whatever its clock.
  [[nodiscard]] std::int64_t at_full_clock(std::int64_t cycles, double clock_mhz) const {
    const double full_mhz =
        steady_ != nullptr ? runner_.machine_as_built().clock_mhz : runner_.machine().clock_mhz;
    return raised(real_of(cycles) * (full_mhz / clock_mhz));
  }
  static void take_faster(BestRun& best, BestRun other) {
    const bool is_faster = real_of(other.run.result.cycles) * best.clock_mhz <
                           real_of(best.run.result.cycles) * other.clock_mhz;
    if (is_faster) std::swap(best, other);
    best.run.result.sampled =
        bound_of_faster(best.run.result, other.run.result, best.clock_mhz / other.clock_mhz);
  }
  /// @param simulated  launches, at least in part
  [[nodiscard]] KernelSearch examine(const BestRun& best,
                                     const std::vector<KernelLaunch>& simulated) const {
    return examine_search(
        runner_.machine(), problem_, kernels_.hardware, policy_, kernels_.ranking,
        {best.candidate, at_full_clock(best.run.result.cycles_high(), best.clock_mhz), simulated,
         same_operands_});
  }

  MachineRunner& runner_;
  const GemmProblem& problem_;
  const KernelPolicy& policy_;
  bool same_operands_;
  const SteadyState* steady_;
  SparsitySupport support_;
  GemmKernels kernels_;
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

BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                      const LaunchConditions& conditions) {
  const auto set_clock = [&](double mhz) { runner.set_clock(mhz, conditions.launch_us); };
  set_clock(conditions.locked_clock_mhz.value_or(runner.machine_as_built().clock_mhz));
  const SteadyState steady(runner, problem.dtype, conditions);
  Contest contest(runner, problem, policy, conditions,
                  conditions.locked_clock_mhz ? nullptr : &steady);
  if (conditions.locked_clock_mhz) {
    BestRun best = contest.fastest();
    steady.find_watts(best.run.result);
    return best;
  }
  LaunchResult first = contest.simulate(contest.first());
  const double clock = steady.clock_for(first);
  if (!steady.is_near(clock)) {
    set_clock(clock);
    first = contest.simulate(contest.first());
  }
  BestRun best = contest.fastest(std::move(first));
  constexpr int kMostTries = 3;
  for (int tries = 0; tries < kMostTries; ++tries) {
    const double its_clock = steady.clock_for(best.run.result);
    if (steady.is_near(its_clock)) break;
    set_clock(its_clock);
    best.run.result = contest.simulate(best.candidate);
  }
  steady.settle(best.run.result);
  return best;
}

}  // namespace

GemmKernels gemm_kernels(const MachineConfig& machine, const GemmProblem& problem,
                         const KernelPolicy& policy, const LaunchConditions& conditions) {
  const SparsitySupport support = sparsity_support(machine, problem, policy);
  std::vector<Pattern> hardware = allowed_hardware(machine, support, policy);
  KernelRanking ranking = rank_kernels(machine, problem, hardware, policy,
                                       estimated_time(machine, problem.dtype, conditions));
  for (auto* const ranked : {&ranking.candidates, &ranking.left_out}) {
    for (KernelCandidate& one : *ranked) {
      if (conditions.same_operands) find_operands_in_l2(machine, one.launch);
    }
  }
  return {std::move(hardware), std::move(ranking)};
}

std::vector<KernelCandidate> gemm_candidates(const MachineConfig& machine,
                                             const GemmProblem& problem,
                                             const KernelPolicy& policy) {
  return gemm_kernels(machine, problem, policy, at_own_clock(machine)).ranking.candidates;
}

void require_runnable(const MachineConfig& machine, const GemmProblem& problem) {
  require_supported(machine, problem);
  require_memory(machine, problem);
}

GemmRun run_gemm(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy) {
  return Contest(runner, problem, policy, at_own_clock(runner.machine())).fastest().run;
}

GemmRun run_gemm_sustained(MachineRunner& runner, const GemmProblem& problem,
                           const KernelPolicy& policy, const LaunchConditions& conditions) {
  return run_fastest_kernel(runner, problem, policy, conditions).run;
}

KernelRun run_fastest_kernel(MachineRunner& runner, const GemmProblem& problem,
                             const KernelPolicy& policy, const LaunchConditions& conditions) {
  const OtherClock back(runner);
  BestRun best = run_sustained(runner, problem, policy, conditions);
  return {std::move(best.run), std::move(best.candidate)};
}

FunctionalRun run_gemm_with_values(MachineRunner& runner, const GemmProblem& problem,
                                   const KernelPolicy& policy, const LaunchConditions& conditions,
                                   const FunctionalOptions& options) {
  const OtherClock back(runner);
  const BestRun best = run_sustained(runner, problem, policy, conditions);
  FunctionalSetup setup(runner.machine(), problem, best.candidate.kernel, best.candidate.launch,
                        options);
  LaunchResult with_values = finish_candidate(runner, problem, best.candidate,
                                              runner.run(best.candidate.launch, &setup.datapath()));
  with_values.events = best.run.result.events;  // fast-forward skips nothing if values travel
  with_values.clock_mhz = best.run.result.clock_mhz;
  with_values.board_watts = best.run.result.board_watts;
  if (with_values != best.run.result) {
    throw SimulationError("carrying values has changed the timing");
  }
  return {best.run, setup.check()};
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
  return result;
}

double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware) {
  constexpr double kFlopPerMac = 2.0;
  const double macs = static_cast<double>(peak_macs_per_clk(machine, dtype) * hardware.m) /
                      static_cast<double>(hardware.n);
  return macs * kFlopPerMac * machine.clock_mhz * 1e6 / 1e12;
}

}  // namespace stcsim
