#include "sim/run/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace stcsim {
namespace {

/// Two-sided 99 % quantile of Student's t with kBlocks - 1 = 7 degrees of freedom.
constexpr double kStudent = 3.499;
/// A part of fewer waves is not worth leaving out.
constexpr std::int64_t kFewWaves = 8;
/// Simulated before a boundary.
constexpr std::int64_t kWavesBefore = 2;

double number(std::int64_t value) {
  return static_cast<double>(value);
}

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

WaveSampling::WaveSampling(const MachineConfig& machine, const KernelLaunch& launch,
                           const SamplingEffort& effort)
    : launch_(launch),
      effort_(effort),
      wave_(machine.accelerator.num_sms * launch.ctas_per_sm),
      boundary_(launch.tiles_n *
                (launch.splits * launch.batch_count > 1 ? launch.tiles_m : launch.raster_group)),
      dram_bytes_per_clk_(machine.accelerator.dram.bytes_per_clk_of(true)) {}

std::int64_t WaveSampling::wave_given_out(const WaveGivenOut& wave) {
  if (waves_.empty()) begin_stretch(wave.ctas);
  waves_.push_back(wave);
  if (wave.ctas < look_at_ || wave.events < effort_.exact_events) return 0;
  const std::int64_t waves = waves_to_leave_out();
  const Pace pace = find_pace();
  if (waves < kFewWaves || !is_known_well(pace)) {
    look_at_ = wave.ctas + std::max(wave_, (wave.ctas - first_) / 4);
    return 0;
  }
  leave_out(pace, waves);
  begin_stretch(wave.ctas);
  return left_out_.back().ctas;
}

void WaveSampling::begin_stretch(std::int64_t ctas) {
  first_ = ctas;
  look_at_ = ctas + kFirstLook * wave_;
}

/// Between two waves, CTAs are taken to have been given out one after the other.
double WaveSampling::time_at(double ctas) const {
  const auto after = std::upper_bound(
      waves_.begin(), waves_.end() - 1, ctas,
      [](double value, const WaveGivenOut& wave) { return value < number(wave.ctas); });
  const WaveGivenOut& to = *after;
  const WaveGivenOut& from = after == waves_.begin() ? to : *(after - 1);
  const double share =
      to.ctas == from.ctas ? 0.0 : (ctas - number(from.ctas)) / number(to.ctas - from.ctas);
  return number(from.now.index()) + share * number(to.now.index() - from.now.index());
}

double WaveSampling::mean_pace(double from, double to) const {
  return (time_at(to) - time_at(from)) / (to - from) * number(wave_);
}

/// Cycles of DRAM that a wave leaves to later ones, in the mean from there to now.
double WaveSampling::writes_put_off(double from) const {
  const auto first = std::lower_bound(
      waves_.begin(), waves_.end() - 1, from,
      [](const WaveGivenOut& wave, double ctas) { return number(wave.ctas) < ctas; });
  const WaveGivenOut& now = waves_.back();
  if (now.ctas == first->ctas) return 0;
  const double cycles =
      number(now.waiting_write_bytes - first->waiting_write_bytes) / number(dram_bytes_per_clk_);
  return cycles * number(wave_) / number(now.ctas - first->ctas);
}

WaveSampling::Pace WaveSampling::find_pace() const {
  const double length = number(waves_.back().ctas - first_);
  const auto at = [&](double share) { return number(first_) + share * length; };
  const double mean = mean_pace(at(0.5), at(1));
  double squares = 0;
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    constexpr double kShare = 0.5 / kBlocks;
    const double from = 0.5 + number(block) * kShare;
    const double deviation = mean_pace(at(from), at(from + kShare)) - mean;
    squares += deviation * deviation;
  }
  const double of_block = std::sqrt(squares / number(kBlocks - 1) * (1 + 1 / number(kBlocks)));
  const double settled = std::abs(mean - mean_pace(at(0.25), at(0.5)));
  const double put_off = writes_put_off(at(0.5));
  const double error = kStudent * of_block + kSettling * settled + std::abs(put_off);
  const double of_long_stretch = length / number(kLongStretch * wave_);
  return {mean + put_off, std::max(kFloor * mean, error) / std::min(of_long_stretch, 1.0)};
}

std::int64_t WaveSampling::whole_waves_left() const {
  return (launch_.ctas() - waves_.back().next_cta) / wave_ - kLastWaves;
}

/// Within the first half of the stretch, the one that is no sample.
bool WaveSampling::has_seen_boundary() const {
  const std::int64_t boundary = (first_ / boundary_ + 1) * boundary_;
  return !left_out_.empty() || boundary <= first_ + (waves_.back().ctas - first_) / 2;
}

std::int64_t WaveSampling::waves_to_leave_out() const {
  const std::int64_t left = whole_waves_left();
  if (has_seen_boundary()) return left;
  const std::int64_t to_boundary =
      (boundary_ - waves_.back().next_cta % boundary_) / wave_ - kWavesBefore;
  return std::min(left, to_boundary);
}

bool WaveSampling::is_known_well(const Pace& pace) const {
  const WaveGivenOut& now = waves_.back();
  const double left = number(whole_waves_left());
  double cycles = number(now.now.index()) + (left + number(kLastWaves)) * pace.cycles;
  double error = left * pace.error;
  for (const LeftOut& part : left_out_) {
    cycles += part.cycles;
    error += part.error;
  }
  if (now.events >= effort_.most_events) return true;
  const double effort = number(now.events) / number(effort_.events_for_tolerance);
  return error <= cycles * kTolerance * std::max(effort, 1.0);
}

void WaveSampling::leave_out(const Pace& pace, std::int64_t waves) {
  const WaveGivenOut& to = waves_.back();
  const auto from = std::lower_bound(
      waves_.begin(), waves_.end(), first_ + (to.ctas - first_) / 2,
      [](const WaveGivenOut& wave, std::int64_t ctas) { return wave.ctas < ctas; });
  const double times =
      number(waves * wave_) / number(std::max<std::int64_t>(to.ctas - from->ctas, 1));
  left_out_.push_back({to.next_cta, waves * wave_, number(waves) * pace.cycles,
                       number(waves) * pace.error,
                       times * number(to.l2_hit_bytes - from->l2_hit_bytes),
                       times * number(to.dram_read_bytes - from->dram_read_bytes)});
}

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
