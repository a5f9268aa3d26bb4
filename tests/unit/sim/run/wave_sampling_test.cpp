#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "sim/run/sampling.hpp"

namespace stcsim {
namespace {

/// Of a wave, so that ten times the usual tolerance is allowed at the first look.
constexpr std::int64_t kManyEvents =
    10 * SamplingEffort().events_for_tolerance / WaveSampling::kFirstLook;
/// The bound of a stretch that is looked at for the first time is so much wider.
constexpr double kFewWaves =
    static_cast<double>(WaveSampling::kLongStretch) / WaveSampling::kFirstLook;

/// A grid of 1000 waves of ten CTAs on ten SMs.
class WaveSamplingTest : public testing::Test {
 protected:
  WaveSamplingTest() {
    machine_.accelerator.num_sms = 10;
    launch_.tiles_m = 1000;
    launch_.tiles_n = 10;
    launch_.raster_group = 1;
  }
  /// Gives out wave after wave. @param cycles_of  from a wave to the next
  /// @param events  of a wave
  template <class CyclesOf>
  void run(CyclesOf cycles_of, std::int64_t events = kManyEvents) {
    sampling_.emplace(machine_, launch_);
    std::int64_t left_out = 0;
    Cycle now;
    for (std::int64_t wave = 1; 10 * wave + left_out <= launch_.ctas(); ++wave) {
      left_out += sampling_->wave_given_out(
          {10 * wave, 10 * wave + left_out, now, wave * events, wave * 100, wave * 1000});
      now += Cycles(cycles_of(wave));
    }
  }

  MachineConfig machine_;
  KernelLaunch launch_;
  std::optional<WaveSampling> sampling_;
};

constexpr std::int64_t kFirstLookAt = 1 + WaveSampling::kFirstLook;  // wave

TEST_F(WaveSamplingTest, LeavesOutTheMiddleOfASteadyGrid) {
  run([](std::int64_t) { return 100; });
  ASSERT_EQ(sampling_->left_out().size(), 1U);
  const LeftOut& part = sampling_->left_out().front();
  const std::int64_t waves = 1000 - kFirstLookAt - WaveSampling::kLastWaves;
  EXPECT_EQ(part.first, 10 * kFirstLookAt);
  EXPECT_EQ(part.ctas, 10 * waves);
  EXPECT_DOUBLE_EQ(part.cycles, static_cast<double>(100 * waves));
  EXPECT_DOUBLE_EQ(part.error, kFewWaves * WaveSampling::kFloor * part.cycles);
  EXPECT_DOUBLE_EQ(part.l2_hit_bytes, static_cast<double>(100 * waves));
  EXPECT_DOUBLE_EQ(part.dram_read_bytes, static_cast<double>(1000 * waves));
}

/// Looks at 16, 20, 25, 32, 40 and 50 waves; the floor of what is left out, in proportion, falls
/// below the tolerance at the last.
TEST_F(WaveSamplingTest, LooksAtMoreWavesWhereTheyAreCheap) {
  run([](std::int64_t) { return 100; }, 10'000);
  ASSERT_EQ(sampling_->left_out().size(), 1U);
  const LeftOut& part = sampling_->left_out().front();
  EXPECT_EQ(part.first, 10 * (1 + 50));
  EXPECT_DOUBLE_EQ(part.error, WaveSampling::kFloor * part.cycles);
}

TEST_F(WaveSamplingTest, SimulatesToTheEndWhatNeverGetsSteady) {
  run([](std::int64_t wave) { return 100 * wave; }, 2'000);
  EXPECT_TRUE(sampling_->left_out().empty());
}

TEST_F(WaveSamplingTest, AnyBoundWillDoAfterManyEvents) {
  run([](std::int64_t wave) { return 100 * wave; }, SamplingEffort().most_events / 20);
  ASSERT_EQ(sampling_->left_out().size(), 1U);
  EXPECT_EQ(sampling_->left_out().front().first, 10 * (1 + 20));
}

TEST_F(WaveSamplingTest, SimulatesToTheEndWhatTakesFewEvents) {
  run([](std::int64_t) { return 100; }, SamplingEffort().exact_events / 1001);
  EXPECT_TRUE(sampling_->left_out().empty());
}

/// Groups of tile rows are 100 waves long. At the first look, the first has not ended.
TEST_F(WaveSamplingTest, SeesTheStepFromOneGroupToTheNext) {
  launch_.raster_group = 100;
  run([](std::int64_t) { return 100; });
  ASSERT_EQ(sampling_->left_out().size(), 2U);
  const LeftOut& first = sampling_->left_out().front();
  EXPECT_EQ(first.first, 10 * kFirstLookAt);
  EXPECT_EQ(first.first + first.ctas, 1000 - 2 * 10);
  const LeftOut& second = sampling_->left_out().back();
  EXPECT_EQ(second.first, first.first + first.ctas + 10 * WaveSampling::kFirstLook);
  EXPECT_EQ(second.first + second.ctas, 10'000 - 10 * WaveSampling::kLastWaves);
}

/// Blocks of one wave of 998 or 1002 cycles each: their means have a deviation of 2 sqrt(8 / 7).
TEST_F(WaveSamplingTest, TheBoundIsThePredictionIntervalOfABlock) {
  run([](std::int64_t wave) { return wave % 2 == 0 ? 998 : 1002; });
  ASSERT_EQ(sampling_->left_out().size(), 1U);
  const LeftOut& part = sampling_->left_out().front();
  const double waves = static_cast<double>(part.ctas) / 10;
  EXPECT_NEAR(part.cycles, 1000 * waves, 1e-6);
  EXPECT_NEAR(part.error, kFewWaves * 2 * 3.499 * std::sqrt(8.0 / 7.0 * 9.0 / 8.0) * waves, 1e-6);
}

/// The quarter before the sample took four cycles more a wave: as much again twice is to settle.
TEST_F(WaveSamplingTest, TheBoundHasWhatIsStillToSettle) {
  run([](std::int64_t wave) { return wave < 1 + WaveSampling::kFirstLook / 2 ? 1004 : 1000; });
  ASSERT_EQ(sampling_->left_out().size(), 1U);
  const LeftOut& part = sampling_->left_out().front();
  EXPECT_NEAR(part.error, kFewWaves * 2 * 4 * static_cast<double>(part.ctas) / 10, 1e-6);
}

/// Every wave leaves `cycles` of DRAM to be written.
class WavesThatPutOffWrites : public WaveSamplingTest {
 protected:
  LeftOut left_out_of(std::int64_t cycles) {
    machine_.accelerator.dram.bytes_per_clk = 10;
    machine_.accelerator.dram.tile_share = 1;
    sampling_.emplace(machine_, launch_);
    for (std::int64_t wave = 1; wave <= kFirstLookAt; ++wave) {
      sampling_->wave_given_out(
          {10 * wave, 10 * wave, Cycle(1000 * wave), wave * kManyEvents, 0, 0, 10 * cycles * wave});
    }
    EXPECT_EQ(sampling_->left_out().size(), 1U);
    return sampling_->left_out().front();
  }
};

TEST_F(WavesThatPutOffWrites, PayForThemLater) {
  const LeftOut part = left_out_of(2);
  const double waves = static_cast<double>(part.ctas) / 10;
  EXPECT_NEAR(part.cycles, (1000 + 2) * waves, 1e-6);
  EXPECT_NEAR(part.error, kFewWaves * WaveSampling::kFloor * 1000 * waves, 1e-6);
}

/// Forty cycles in a thousand are more than the floor.
TEST_F(WavesThatPutOffWrites, MayHaveDoneSoForNothing) {
  const LeftOut part = left_out_of(40);
  const double waves = static_cast<double>(part.ctas) / 10;
  EXPECT_NEAR(part.cycles, (1000 + 40) * waves, 1e-6);
  EXPECT_NEAR(part.error, kFewWaves * 40 * waves, 1e-6);
}

}  // namespace
}  // namespace stcsim
