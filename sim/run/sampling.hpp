#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/statistics.hpp"
#include "models/dram/dram_config.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// CTAs of a grid that were not simulated, and what they are taken to have done.
struct LeftOut {
  std::int64_t first = 0;  // CTA, in raster order
  std::int64_t ctas = 0;
  double cycles = 0;
  double error = 0;  // cycles more or less
  double l2_hit_bytes = 0;
  double dram_read_bytes = 0;
};

/// The statistics of a whole launch, given those of the CTAs that were not left out. Buckets have
/// the same shares of the cycles. Counters are scaled by k-steps, bytes between SMs and L2 by what
/// CTAs load and store; so they are exact as far as they depend on nothing else. DRAM writes what
/// the launch stores, in whole bursts. What hits in L2 and comes from DRAM is added up.
/// @param least  cycles that the launch takes at least
[[nodiscard]] LaunchStatistics with_left_out(const DramConfig& dram, const KernelLaunch& launch,
                                             const std::vector<LeftOut>& left_out, Cycles least,
                                             LaunchStatistics simulated);

/// How much of a launch is simulated before a part of it may be left out.
struct SamplingEffort {
  /// A launch that takes fewer events is simulated to its end.
  std::int64_t exact_events = 100'000;
  /// From here on the bound may be wider than kTolerance, in proportion to the events.
  std::int64_t events_for_tolerance = 1'500'000;
  /// From here on any bound will do.
  std::int64_t most_events = 3'000'000;

  friend auto operator<=>(const SamplingEffort&, const SamplingEffort&) = default;
};

/// Where values travel, an event takes so much longer that a fifth of them is worth as much.
inline constexpr SamplingEffort kEffortWithValues{100'000, 300'000, 600'000};

/// Answers for a grid of many waves from a part of it. The grid's first waves are simulated until
/// the time of a wave is steady, then CTAs are left out: up to the next batch, k slice or group of
/// tile rows if the machine has not yet seen the step from one to the other, and then up to the
/// last waves. What is left out takes, wave by wave, what the waves just before took in the mean.
///
/// The bound. A stretch of waves since the launch, or since the last part left out, is looked at
/// when it is kFirstLook waves long, and then when it is a quarter longer each time. The second
/// half of it is the sample. With m its mean, s the standard deviation of the means of its kBlocks
/// blocks, and p the mean of the quarter before it, a wave left out takes
///
///     m ± (t s sqrt(1 + 1 / kBlocks) + 2 |m - p|)
///
/// with t the two-sided 99 % quantile of Student's distribution. The first term is the prediction
/// interval of one more block: waves that follow each other are alike, so that what is left out,
/// however long, is not taken to be better known than a block. The second is for what settles
/// slowly, as SMs drift apart: if each doubling of the stretch leaves two thirds of what is to
/// settle, or less, all doublings to come change the mean by no more than twice what the last one
/// has. What looks steadier is not taken to be known better than to kFloor: a machine whose state
/// recurs for some waves leaves that state when their strips of the operands end. What a wave adds
/// in the mean of the sample to the writes that wait for DRAM is paid later, when their queue is
/// full or when the launch ends: m has it too, and the bound once more. And a stretch of
/// less than kLongStretch waves is taken to tell less in proportion. CTAs are left out if the whole
/// launch is known to kTolerance, or has taken more effort than that is worth.
class WaveSampling : public WaveWatcher {
 public:
  static constexpr std::int64_t kFirstLook = 16;  // waves
  static constexpr std::int64_t kLongStretch = 48;
  static constexpr std::int64_t kLastWaves = 8;
  static constexpr std::int64_t kBlocks = 8;
  /// Of the launch's cycles, to either side.
  static constexpr double kTolerance = 0.005;
  /// Of the cycles left out, to either side.
  static constexpr double kFloor = 0.005;
  /// What is still to settle, at most, in parts of what the last doubling has settled.
  static constexpr double kSettling = 2;

  /// @param launch  of a GEMM
  WaveSampling(const MachineConfig& machine, const KernelLaunch& launch,
               const SamplingEffort& effort = {});

  std::int64_t wave_given_out(const WaveGivenOut& wave) override;
  bool gives_up(std::int64_t) override { return false; }

  /// What the machine was not given.
  [[nodiscard]] const std::vector<LeftOut>& left_out() const { return left_out_; }

 private:
  /// What a wave takes, and how far that may be off.
  struct Pace {
    double cycles = 0;
    double error = 0;
  };

  void begin_stretch(std::int64_t ctas);
  [[nodiscard]] double time_at(double ctas) const;
  [[nodiscard]] double mean_pace(double from, double to) const;
  [[nodiscard]] double writes_put_off(double from) const;
  [[nodiscard]] Pace find_pace() const;
  [[nodiscard]] std::int64_t whole_waves_left() const;
  [[nodiscard]] bool has_seen_boundary() const;
  [[nodiscard]] std::int64_t waves_to_leave_out() const;
  [[nodiscard]] bool is_known_well(const Pace& pace) const;
  void leave_out(const Pace& pace, std::int64_t waves);

  const KernelLaunch& launch_;
  SamplingEffort effort_;
  std::int64_t wave_;      // CTAs
  std::int64_t boundary_;  // CTAs from one large part of the grid to the next
  std::int64_t dram_bytes_per_clk_;
  // Counted in CTAs given out:
  std::int64_t first_ = 0;  // when the stretch began
  std::int64_t look_at_ = 0;
  std::vector<WaveGivenOut> waves_;
  std::vector<LeftOut> left_out_;
};

/// Whether a launch is one that shorter ones tell of (sample_steps): all of its CTAs run at the
/// same time, so that none reads what an earlier one has brought into the L2 cache, they read
/// different memory in every k-step, and there are many k-steps.
/// @param num_sms  of the machine
[[nodiscard]] bool may_be_shortened(const KernelLaunch& launch, std::int64_t num_sms);

/// Has a launch given up that takes more events than that to simulate.
class EventBudget : public WaveWatcher {
 public:
  explicit EventBudget(std::int64_t events) : events_(events) {}

  std::int64_t wave_given_out(const WaveGivenOut&) override { return 0; }
  bool gives_up(std::int64_t events) override { return is_spent_ = events > events_; }
  [[nodiscard]] bool is_spent() const { return is_spent_; }

 private:
  std::int64_t events_;
  bool is_spent_ = false;
};

/// Answers for a long launch from the same launch with fewer k-steps, each time twice as many. With
/// T(s) what it takes with s k-steps in every CTA, and p = (T(s) - T(s / 2)) / (s / 2), the k-steps
/// that are left out take p each, more or less
///
///     2 max(|p - p'|, |p' - p''| / 2)
///
/// with p' and p'' the same of s / 2 and s / 4: what still settles changes p, if each doubling
/// leaves two thirds of it or less, by no more than twice what the last doubling has, and what
/// comes of where a launch happens to end is halved by each; and no less than
/// WaveSampling::kFloor. Counters and buckets go on as from
/// s / 2 to s; those that depend on the number of k-steps alone are exact.
/// @param launch  one that may be shortened
/// @param run     simulates a launch to its end
/// @param least   cycles that the launch takes at least
/// @returns nothing if it has to be simulated as it is: the bound stays wider than
///          WaveSampling::kTolerance until there is little to gain
[[nodiscard]] std::optional<LaunchStatistics> sample_steps(
    const KernelLaunch& launch, const std::function<LaunchStatistics(const KernelLaunch&)>& run,
    Cycles least);

}  // namespace stcsim
