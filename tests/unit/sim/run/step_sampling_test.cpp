#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/sampling.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kSteps = 100'000;  // of each CTA
constexpr std::int64_t kSplits = 3;

/// Six CTAs on eight SMs; the last k slice has a step less.
KernelLaunch long_launch() {
  KernelLaunch launch;
  launch.tiles_m = 2;
  launch.splits = kSplits;
  launch.tile_k = 32;
  launch.k_steps = kSplits * kSteps + 2;
  launch.k = launch.k_steps * launch.tile_k - 5;
  launch.a = launch.b = {.strips = 2, .distinct_slices = launch.k_steps};
  return launch;
}
constexpr std::int64_t kManySms = 8;

/// Takes cycles_of(steps); each CTA does three instructions in a step and one more, and a unit is
/// idle all the time but for two cycles of every step.
class ShortLaunches {
 public:
  explicit ShortLaunches(std::function<std::int64_t(std::int64_t)> cycles_of)
      : cycles_of_(std::move(cycles_of)) {}

  LaunchStatistics operator()(const KernelLaunch& launch) {
    const KernelLaunch whole = long_launch();
    EXPECT_EQ(whole.k_steps % launch.splits, launch.k_steps % launch.splits);
    EXPECT_EQ(whole.k - launch.k, (whole.k_steps - launch.k_steps) * launch.tile_k);
    EXPECT_EQ(launch.a.distinct_slices, launch.k_steps);
    EXPECT_EQ(launch.b.distinct_slices, launch.k_steps);
    steps.push_back(launch.k_steps / launch.splits);
    return of(launch);
  }
  [[nodiscard]] LaunchStatistics of(const KernelLaunch& launch) const {
    const std::int64_t of_cta = launch.k_steps / launch.splits;
    const Cycles cycles(cycles_of_(of_cta));
    const Cycles busy(2 * of_cta);
    LaunchStatistics statistics{cycles, {}, 1000};
    UnitTotals& unit = statistics.units.emplace_back();
    unit.instances = 1;
    unit.buckets = {{"busy", busy}, {"idle", Cycles(cycles.count() - busy.count())}};
    unit.counters = {{"instructions", "instruction", launch.tiles_m * (3 * launch.k_steps + 1)}};
    return statistics;
  }
  std::vector<std::int64_t> steps;

 private:
  std::function<std::int64_t(std::int64_t)> cycles_of_;
};

TEST(StepSampling, FourLaunchesTellOfALongOneThatGoesOnAsItBegan) {
  ShortLaunches launches([](std::int64_t steps) { return 777 + 10 * steps; });
  const auto all = sample_steps(long_launch(), std::ref(launches), Cycles(1));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(launches.steps, (std::vector<std::int64_t>{128, 256, 512, 1024}));
  const LaunchStatistics whole = launches.of(long_launch());
  EXPECT_EQ(all->cycles, whole.cycles);
  EXPECT_EQ(all->units, whole.units);
  EXPECT_EQ(all->events, 4000);
  const std::int64_t error = 5 * 10 * (kSteps - 1024) / 1000;  // the floor
  const SampledPart expected{whole.cycles.count() - error - 1, whole.cycles.count() + error + 1, 1,
                             6};
  EXPECT_NEAR(static_cast<double>(all->sampled->cycles_low),
              static_cast<double>(expected.cycles_low), 1.0);
  EXPECT_NEAR(static_cast<double>(all->sampled->cycles_high),
              static_cast<double>(expected.cycles_high), 1.0);
  EXPECT_EQ(all->sampled->simulated_ctas, expected.simulated_ctas);
  EXPECT_EQ(all->sampled->ctas, expected.ctas);
}

/// Half of what is to settle has after 1000 steps, so the first launches are no measure of the
/// last.
TEST(StepSampling, GoesOnUntilThePaceIsSteady) {
  const auto cycles_of = [](std::int64_t steps) {
    return 1000 + 10 * steps + 500 * steps / (1000 + steps);
  };
  ShortLaunches launches(cycles_of);
  const auto all = sample_steps(long_launch(), std::ref(launches), Cycles(1));
  ASSERT_TRUE(all.has_value());
  EXPECT_GT(launches.steps.back(), 1024);
  EXPECT_LE(all->sampled->cycles_low, cycles_of(kSteps));
  EXPECT_GE(all->sampled->cycles_high, cycles_of(kSteps));
}

TEST(StepSampling, NothingIsSaidOfWhatNeverGetsSteady) {
  ShortLaunches launches([](std::int64_t steps) { return 10 * steps + steps * steps / 1000; });
  EXPECT_FALSE(sample_steps(long_launch(), std::ref(launches), Cycles(1)).has_value());
  EXPECT_LE(launches.steps.back(), kSteps / 4);
}

TEST(StepSampling, NothingIsFasterThanWhatIsKnownToTakeLonger) {
  ShortLaunches launches([](std::int64_t steps) { return 10 * steps; });
  const auto all = sample_steps(long_launch(), std::ref(launches), Cycles(20 * kSteps));
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->cycles, Cycles(20 * kSteps));
  EXPECT_EQ(all->sampled->cycles_low, 20 * kSteps);
  EXPECT_EQ(all->sampled->cycles_high, 20 * kSteps);
}

TEST(StepSampling, IsForOneWaveThatReadsNothingTwiceAndIsLong) {
  EXPECT_TRUE(may_be_shortened(long_launch(), kManySms));
  EXPECT_FALSE(may_be_shortened(long_launch(), 5));
  KernelLaunch wrapped = long_launch();
  wrapped.b.distinct_slices -= 1;
  EXPECT_FALSE(may_be_shortened(wrapped, kManySms));
  KernelLaunch shorter = long_launch();
  shorter.k_steps = kSplits * 4096;
  EXPECT_TRUE(may_be_shortened(shorter, kManySms));
  shorter.k_steps -= 1;
  EXPECT_FALSE(may_be_shortened(shorter, kManySms));
}

}  // namespace
}  // namespace stcsim
