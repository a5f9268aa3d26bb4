#include "sim/run/step_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>
#include <utility>

#include "sim/run/wave_sampling.hpp"

namespace stcsim {
namespace {

/// Of every CTA: in the shortest launch, and more than the longest one's by so many times.
constexpr std::int64_t kFirstSteps = 128;
constexpr std::int64_t kLeastGain = 4;
/// Launches that a bound follows from.
constexpr std::size_t kLaunches = 4;

/// The steps of a CTA that has fewest.
std::int64_t steps_of(const KernelLaunch& launch) {
  return launch.k_steps / launch.splits;
}

/// Every CTA goes `steps` k-steps less far.
KernelLaunch without_steps(const KernelLaunch& launch, std::int64_t steps) {
  KernelLaunch shorter = launch;
  const std::int64_t of_all = steps * launch.splits;
  shorter.k_steps -= of_all;
  shorter.k -= of_all * launch.tile_k;
  for (const Operand operand : launch.operands()) {
    OperandStream& stream = operand == Operand::a          ? shorter.a
                            : operand == Operand::b        ? shorter.b
                            : operand == Operand::metadata ? shorter.metadata
                                                           : shorter.column_indices;
    stream.distinct_slices -= of_all;
  }
  return shorter;
}

struct Shortened {
  std::int64_t steps = 0;
  LaunchStatistics statistics;

  [[nodiscard]] double cycles() const { return static_cast<double>(statistics.cycles.count()); }
};

/// Cycles that one more k-step takes.
double pace(const Shortened& from, const Shortened& to) {
  return (to.cycles() - from.cycles()) / static_cast<double>(to.steps - from.steps);
}

/// More or less, of the last pace.
double error_of_pace(const std::deque<Shortened>& runs) {
  const double first = pace(runs[0], runs[1]);
  const double second = pace(runs[1], runs[2]);
  const double third = pace(runs[2], runs[3]);
  const double change = std::max(std::abs(third - second), std::abs(second - first) / 2);
  return std::max(WaveSampling::kFloor * third, WaveSampling::kSettling * change);
}

/// On a line, `by` parts of the way from one value to another beyond that.
std::int64_t beyond(std::int64_t from, std::int64_t to, std::int64_t steps, std::int64_t left) {
  const auto change = static_cast<long double>(to - from) * static_cast<long double>(left);
  return to + std::llround(change / static_cast<long double>(steps));
}

/// They sum to `cycles` of every instance.
void balance(UnitTotals& unit, Cycles cycles) {
  if (unit.buckets.empty()) return;
  Cycles sum;
  for (const auto& [name, in] : unit.buckets) sum += in;
  Cycles& most = std::max_element(unit.buckets.begin(), unit.buckets.end(), [](auto& a, auto& b) {
                   return a.second < b.second;
                 })->second;
  most = Cycles(most.count() + (cycles * unit.instances).count() - sum.count());
}

/// @param from, to  a launch with fewer steps and one with more
LaunchStatistics extrapolate(const Shortened& from, const Shortened& to, std::int64_t left,
                             Cycles cycles) {
  LaunchStatistics all = to.statistics;
  const std::int64_t steps = to.steps - from.steps;
  for (std::size_t at = 0; at < all.units.size(); ++at) {
    const UnitTotals& before = from.statistics.units[at];
    UnitTotals& unit = all.units[at];
    for (std::size_t one = 0; one < unit.counters.size(); ++one) {
      std::int64_t& value = unit.counters[one].value;
      value = beyond(before.counters[one].value, value, steps, left);
    }
    for (std::size_t one = 0; one < unit.buckets.size(); ++one) {
      Cycles& in = unit.buckets[one].second;
      in = Cycles(std::max<std::int64_t>(
          0, beyond(before.buckets[one].second.count(), in.count(), steps, left)));
    }
    balance(unit, cycles);
  }
  all.cycles = cycles;
  return all;
}

}  // namespace

bool may_be_shortened(const KernelLaunch& launch, std::int64_t num_sms) {
  if (launch.ctas() > num_sms * launch.ctas_per_sm) return false;
  for (const Operand operand : launch.operands()) {
    if (launch.stream(operand).distinct_slices < launch.k_steps) return false;
  }
  constexpr std::int64_t kShortest = kFirstSteps << (kLaunches - 1);
  return steps_of(launch) >= kLeastGain * kShortest;
}

std::optional<LaunchStatistics> sample_steps(
    const KernelLaunch& launch, const std::function<LaunchStatistics(const KernelLaunch&)>& run,
    Cycles least) {
  std::deque<Shortened> runs;
  std::int64_t events = 0;
  for (std::int64_t steps = kFirstSteps; kLeastGain * steps <= steps_of(launch); steps *= 2) {
    const std::int64_t left = steps_of(launch) - steps;
    runs.push_back({steps, run(without_steps(launch, left))});
    events += runs.back().statistics.events;
    if (runs.size() < kLaunches) continue;
    if (runs.size() > kLaunches) runs.pop_front();
    const double per_step = pace(runs[2], runs[3]);
    const double cycles = runs.back().cycles() + static_cast<double>(left) * per_step;
    const double error = static_cast<double>(left) * error_of_pace(runs);
    if (error > WaveSampling::kTolerance * cycles) continue;
    const auto low = std::max(static_cast<std::int64_t>(std::floor(cycles - error)), least.count());
    const std::int64_t estimate = std::max<std::int64_t>(std::llround(cycles), low);
    const auto high = std::max(static_cast<std::int64_t>(std::ceil(cycles + error)), estimate);
    LaunchStatistics all = extrapolate(runs[2], runs[3], left, Cycles(estimate));
    all.sampled = {low, high, std::max<std::int64_t>(1, launch.ctas() * steps / steps_of(launch)),
                   launch.ctas()};
    all.events = events;
    return all;
  }
  return std::nullopt;
}

}  // namespace stcsim
