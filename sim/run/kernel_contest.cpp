#include "sim/run/kernel_contest.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/bounds/critical_path.hpp"
#include "sim/kernel/convolution.hpp"
#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {

namespace {

/// What narrow accesses are to blame for.
std::string alignment_note(const KernelCandidate& candidate) {
  const std::int64_t bytes =
      std::min(candidate.launch.a.access_bytes, candidate.launch.b.access_bytes);
  if (bytes == OperandStream::kWidestAccessBytes) return "";
  return fmt::format("rows of {} are aligned to {} bytes only: loads of {}, not {}",
                     candidate.kernel.config.any_alignment ? "A, B or C" : "A or B", bytes, bytes,
                     OperandStream::kWidestAccessBytes);
}

/// What keeps a sparse run from the pattern's full gain, as far as the tiling is to blame.
std::string padding_note(const KernelCandidate& candidate) {
  const std::int64_t padded = candidate.launch.k_steps * candidate.launch.tile_k;
  const std::int64_t k = candidate.launch.k;
  if (candidate.kernel.hardware.is_dense() || padded < k * 5 / 4) return "";
  return fmt::format("k = {} is padded to {} by the kernel's k-step of {}", k, padded,
                     candidate.launch.tile_k);
}

/// A launch takes no less time at a lower clock, but for the order in which its CTAs come to their
/// data, which differs: by far less than that share.
constexpr double kOtherClock = 1.02;

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

}  // namespace

void take_faster(BestRun& best, BestRun other) {
  const bool is_faster = real_of(other.run.result.cycles) * best.clock_mhz <
                         real_of(best.run.result.cycles) * other.clock_mhz;
  if (is_faster) std::swap(best, other);
  best.run.result.sampled =
      bound_of_faster(best.run.result, other.run.result, best.clock_mhz / other.clock_mhz);
}

LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                              const KernelCandidate& candidate,
                              const LaunchStatistics& statistics) {
  LaunchResult result = to_result(statistics);
  result.kernel = kernel_report(runner.machine(), candidate.kernel, candidate.launch);
  for (const KernelLaunch& one :
       transform_launches(runner.machine(), candidate.kernel.config, problem)) {
    append_launch(result, runner.run(one));
  }
  if (candidate.launch.splits > 1) {
    append_launch(result,
                  runner.run(reduction_launch(runner.machine(), problem, candidate.launch)));
  }
  const StreamingMultiprocessorConfig& sm = runner.machine().accelerator.sm;
  result.multiplier_macs = counted_macs(result, candidate.kernel.instruction, sm);
  result.actions = counted_actions(result, candidate.kernel.instruction, sm);
  result.peak_macs = result.cycles * peak_macs_per_clk(runner.machine(), problem.dtype);
  result.clock_mhz = runner.machine().clock_mhz;
  return result;
}

KernelContest::KernelContest(MachineRunner& runner, const GemmProblem& problem,
                             const KernelPolicy& policy, const LaunchConditions& conditions,
                             const SteadyState* steady)
    : runner_(runner),
      asked_(problem.a_pattern),
      problem_(in_windows(runner.machine(), problem)),
      policy_(policy),
      same_operands_(conditions.same_operands),
      steady_(steady) {
  require_runnable(runner.machine(), problem);
  runner.set_sampling(policy.sampled ? std::optional<SamplingEffort>(SamplingEffort())
                                     : std::nullopt);
  support_ = sparsity_support(runner.machine(), problem, policy);
  kernels_ = gemm_kernels(runner.machine(), problem_, policy, conditions);
}

LaunchResult KernelContest::simulate(const KernelCandidate& candidate) {
  return finish_candidate(runner_, problem_, candidate, runner_.run(candidate.launch));
}

KernelContest::Order KernelContest::all() const {
  Order order(kernels_.ranking.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!kernels_.ranking.of_stacks.empty()) put_best_ranked_first(order);
  return order;
}

std::vector<KernelContest::Order> KernelContest::stacks() const {
  std::vector<std::size_t> ends = kernels_.ranking.of_stacks;
  ends.push_back(kernels_.ranking.candidates.size());
  std::vector<Order> stacks;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    stacks.emplace_back(end - begin);
    std::iota(stacks.back().begin(), stacks.back().end(), begin);
    begin = end;
  }
  std::stable_sort(stacks.begin(), stacks.end(), [&](const Order& a, const Order& b) {
    return is_ranked_before(candidate(a.front()), candidate(b.front()));
  });
  return stacks;
}

void KernelContest::put_best_ranked_first(Order& order) const {
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_ranked_before(candidate(a), candidate(b));
  });
}

Cycles KernelContest::most_cycles(const BestRun& to_beat) const {
  const std::int64_t cycles = at_full_clock(to_beat.run.result.cycles, to_beat.clock_mhz);
  return Cycles(raised(real_of(cycles) * kOtherClock));
}

std::optional<LaunchResult> KernelContest::simulate_first(const Order& order, Cycles most) {
  bool is_slower = true;
  for (const std::size_t at : order) {
    mark(candidate(at));
    const Cycles least = least_cycles(runner_.machine().accelerator, candidate(at).launch);
    is_slower = is_slower && least > most;
  }
  if (is_slower) return std::nullopt;
  const KernelCandidate& first = candidate(order.front());
  simulated_.push_back(first.launch);
  if (order.size() > 1) return simulate(first);
  const auto statistics = runner_.run_within(first.launch, most);
  if (!statistics) return std::nullopt;
  return finish_candidate(runner_, problem_, first, *statistics);
}

BestRun KernelContest::fastest(const Order& order, LaunchResult first_result,
                               std::optional<Cycles> most) {
  const KernelCandidate& first = candidate(order.front());
  mark(first);
  simulated_.push_back(first.launch);
  const double first_clock = clock_of(first_result);
  BestRun best{{std::move(first_result), first.kernel.hardware}, first, first_clock};
  best.run.rank = static_cast<std::int64_t>(order.front());
  best.simulated_mhz = runner_.machine().clock_mhz;
  for (std::size_t place = 1; place < order.size(); ++place) {
    const KernelCandidate& one = candidate(order[place]);
    mark(one);
    if (is_known(order, place)) continue;
    const std::int64_t simulated_before = runner_.simulated();
    const Cycles limit(at_full_clock(best.run.result.cycles, best.clock_mhz));
    const auto statistics = runner_.run_within(one.launch, std::min(limit, most.value_or(limit)));
    if (runner_.simulated() > simulated_before) simulated_.push_back(one.launch);
    if (!statistics) continue;
    LaunchResult result = finish_candidate(runner_, problem_, one, *statistics);
    const double clock = clock_of(result);
    BestRun other{{std::move(result), one.kernel.hardware}, one, clock, best.simulated_mhz};
    other.run.rank = static_cast<std::int64_t>(order[place]);
    take_faster(best, std::move(other));
  }
  return best;
}

/// Notes which patterns are among those that were compared.
void KernelContest::mark(const KernelCandidate& one) {
  is_most_saving_measured_ = is_most_saving_measured_ || one.kernel.hardware == support_.hardware();
}

BestRun KernelContest::fastest() {
  const Order order = all();
  return fastest(order, simulate(candidate(order.front())));
}

/// The same launch comes before it.
bool KernelContest::is_known(const Order& order, std::size_t place) const {
  return std::any_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(place),
                     [&](std::size_t before) {
                       return candidate(before).launch == candidate(order[place]).launch;
                     });
}

void KernelContest::conclude(BestRun& best) const {
  best.run.reason =
      reason_for(support_, asked_, best.run.hardware_pattern, is_most_saving_measured_);
  best.run.gathers = best.candidate.launch.gathers();
  std::string& reason = best.run.reason;
  for (const std::string& note : {padding_note(best.candidate), alignment_note(best.candidate)}) {
    if (!note.empty()) reason += (reason.empty() ? "" : "; ") + note;
  }
  if (kernels_.ranking.is_search) best.run.search = examine(best);
}

double KernelContest::clock_of(const LaunchResult& launch) const {
  return steady_ != nullptr ? steady_->clock_for(launch) : runner_.machine().clock_mhz;
}

/// Cycles of the highest clock that take as long: a kernel that needs more is not faster,
/// whatever its clock.
std::int64_t KernelContest::at_full_clock(std::int64_t cycles, double clock_mhz) const {
  const double full_mhz =
      steady_ != nullptr ? runner_.machine_as_built().clock_mhz : runner_.machine().clock_mhz;
  return raised(real_of(cycles) * (full_mhz / clock_mhz));
}

KernelSearch KernelContest::examine(const BestRun& best) const {
  return examine_search(
      runner_.machine(), problem_, kernels_.hardware, policy_, kernels_.ranking,
      {best.candidate, at_full_clock(best.run.result.cycles_high(), best.clock_mhz), simulated_,
       same_operands_});
}

namespace {

/// A GEMM that is launched over and over: its kernels, each at the clock that the board sustains.
class SustainedRun {
 public:
  SustainedRun(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
               const LaunchConditions& conditions)
      : runner_(runner),
        conditions_(conditions),
        steady_(runner, problem.dtype, conditions),
        full_mhz_(conditions.locked_clock_mhz.value_or(runner.machine_as_built().clock_mhz)),
        contest_(at_clock_of(full_mhz_), problem, policy, conditions,
                 conditions.locked_clock_mhz ? nullptr : &steady_) {}

  /// Leaves the machine at the clock at which the launch was simulated.
  BestRun fastest() {
    BestRun best = conditions_.locked_clock_mhz ? contest_.fastest() : fastest_of_stacks();
    set_clock(best.simulated_mhz);
    contest_.conclude(best);
    if (conditions_.locked_clock_mhz) steady_.find_watts(best.run.result);
    return best;
  }

 private:
  MachineRunner& at_clock_of(double mhz) {
    set_clock(mhz);
    return runner_;
  }
  void set_clock(double mhz) { runner_.set_clock(mhz, conditions_.launch_us); }

  LaunchResult simulate_first(const KernelContest::Order& stack) {
    return contest_.simulate(contest_.candidate(stack.front()));
  }

  BestRun fastest_of_stacks() {
    const std::vector<KernelContest::Order> stacks = contest_.stacks();
    BestRun best = fastest_of(stacks.front(), simulate_first(stacks.front()));
    for (std::size_t at = 1; at < stacks.size(); ++at) {
      set_clock(full_mhz_);
      const Cycles most = contest_.most_cycles(best);
      std::optional<LaunchResult> first = contest_.simulate_first(stacks[at], most);
      if (first) take_faster(best, fastest_of(stacks[at], std::move(*first), most));
    }
    return best;
  }

  /// @param result  of its first candidate, at the highest clock
  BestRun fastest_of(const KernelContest::Order& stack, LaunchResult result,
                     std::optional<Cycles> most = {}) {
    const double clock = steady_.clock_for(result);
    if (!steady_.is_near(clock)) {
      set_clock(clock);
      result = simulate_first(stack);
    }
    BestRun best = contest_.fastest(stack, std::move(result), most);
    constexpr int kMostTries = 3;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const double its_clock = steady_.clock_for(best.run.result);
      if (steady_.is_near(its_clock)) break;
      set_clock(its_clock);
      best.run.result = contest_.simulate(best.candidate);
    }
    steady_.settle(best.run.result);
    best.clock_mhz = best.run.result.clock_mhz;
    best.simulated_mhz = runner_.machine().clock_mhz;
    return best;
  }

  MachineRunner& runner_;
  LaunchConditions conditions_;
  SteadyState steady_;
  double full_mhz_;
  KernelContest contest_;
};

}  // namespace

BestRun run_sustained(MachineRunner& runner, const GemmProblem& problem, const KernelPolicy& policy,
                      const LaunchConditions& conditions) {
  return SustainedRun(runner, problem, policy, conditions).fastest();
}

}  // namespace stcsim
