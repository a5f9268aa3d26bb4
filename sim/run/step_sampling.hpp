#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/base/kernel_launch.hpp"
#include "models/base/launch_observers.hpp"
#include "models/base/statistics.hpp"

namespace stcsim {

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
