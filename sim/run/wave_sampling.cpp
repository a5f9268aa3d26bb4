#include "sim/run/wave_sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

}  // namespace stcsim
