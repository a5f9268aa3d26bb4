#include "sim/kernel/convolution.hpp"

#include <gtest/gtest.h>

#include "sim/kernel/kernel_choice.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// conv1 of ResNet: 7x7 filters of 3 channels, stride 2, 112x112 pixels of 2 images.
GemmProblem stem(Phase phase) {
  constexpr std::int64_t kPixels = 2 * 112 * 112;
  GemmProblem problem = test::make_problem(64, kPixels, 147);
  problem.b.unique_k = 12;
  if (phase == Phase::wgrad) {
    problem = test::make_problem(64, 147, kPixels);
    problem.b.unique_rows = 12;
  }
  problem.convolution = ConvolutionPass{phase, 49};
  return problem;
}

TEST(Convolution, ChannelsAreOfAllGroups) {
  EXPECT_EQ(channels_of(stem(Phase::forward)), 3);
  EXPECT_EQ(channels_of(stem(Phase::wgrad)), 3);
  EXPECT_EQ(channels_of(test::make_problem(64, 64, 64)), 0);
  GemmProblem depthwise = test::make_problem(1, 100, 9, 32);
  depthwise.convolution = ConvolutionPass{Phase::forward, 9};
  EXPECT_EQ(channels_of(depthwise), 32);
}

TEST(Convolution, KernelsAreForPassesTapsAndChannels) {
  LibraryKernel entry;
  EXPECT_TRUE(is_for_convolution(entry, stem(Phase::wgrad)));
  EXPECT_TRUE(is_for_convolution(entry, test::make_problem(64, 64, 64)));
  entry.passes = {Phase::forward, Phase::dgrad};
  EXPECT_TRUE(is_for_convolution(entry, stem(Phase::forward)));
  EXPECT_FALSE(is_for_convolution(entry, stem(Phase::wgrad)));
  EXPECT_FALSE(is_for_convolution(entry, test::make_problem(64, 64, 64)));
  for (const std::int64_t taps : {48, 49}) {
    entry.max_taps = taps;
    EXPECT_EQ(is_for_convolution(entry, stem(Phase::forward)), taps == 49);
  }
  for (const std::int64_t least : {3, 4}) {
    entry.min_channels = least;
    EXPECT_EQ(is_for_convolution(entry, stem(Phase::forward)), least == 3);
  }
  entry.min_channels = 1;
  for (const std::int64_t most : {2, 3}) {
    entry.max_channels = most;
    EXPECT_EQ(is_for_convolution(entry, stem(Phase::forward)), most == 3);
  }
}

/// align8: 8 channels in place of 3; a k-step of 32 within a tap: 32 of them are multiplied.
TEST(Convolution, ChannelsArePaddedAndStepsStayWithinTaps) {
  KernelConfig config;
  config.tile_k = 32;
  EXPECT_EQ(with_whole_channels(config, stem(Phase::forward)), stem(Phase::forward));
  config.pads_channels_to = 8;
  GemmProblem padded = with_whole_channels(config, stem(Phase::forward));
  EXPECT_EQ(padded.k, 49 * 8);
  EXPECT_EQ(padded.b.unique_k, 4 * 8);
  padded = with_whole_channels(config, stem(Phase::wgrad));
  EXPECT_EQ(padded.n, 49 * 8);
  EXPECT_EQ(padded.b.unique_rows, 4 * 8);
  config.steps_within_taps = true;
  EXPECT_EQ(with_whole_channels(config, stem(Phase::forward)).k, 49 * 32);
  EXPECT_EQ(with_whole_channels(config, stem(Phase::wgrad)).n, 49 * 8);
  const GemmProblem linear = test::make_problem(64, 64, 147);
  EXPECT_EQ(with_whole_channels(config, linear), linear);
}

/// 8 channels of 16 bits are half a sector, whose other half is of a pixel that the stride leaves
/// out: twice the bytes pass, and once each comes from DRAM.
TEST(Convolution, LoadsChannelsThatThereAreInWholeSectors) {
  KernelConfig config;
  config.pads_channels_to = 8;
  config.steps_within_taps = true;
  KernelLaunch launch;
  launch.tile_k = 32;
  launch.a.row_bytes = launch.b.row_bytes = 64;
  launch.a.rows = launch.b.rows = 10;
  KernelLaunch wgrad = launch;
  load_channels(config, stem(Phase::forward), launch);
  EXPECT_EQ(launch.a.row_bytes, 16);
  EXPECT_EQ(launch.b.row_bytes, 32);
  EXPECT_EQ(launch.b.edge_row_bytes, 32);
  EXPECT_EQ(launch.b.distinct_per_1024, 512);
  EXPECT_EQ(launch.zero_bytes, 20 * 48);
  load_channels(config, stem(Phase::wgrad), wgrad);
  EXPECT_EQ(wgrad.a.row_bytes, 64);
  EXPECT_EQ(wgrad.b.row_bytes, 128);
  GemmProblem without_stride = stem(Phase::forward);
  without_stride.b.unique_k = 3;
  launch.b.row_bytes = 64;
  launch.b.distinct_per_1024 = 1024;
  load_channels(config, without_stride, launch);
  EXPECT_EQ(launch.b.row_bytes, 16);
  EXPECT_EQ(launch.b.distinct_per_1024, 1024);
}

/// 2 images of 224 x 224 pixels with 3 channels of two bytes become 8: zeros, then a copy.
TEST(Convolution, ImagesArePaddedByTwoKernelsAndGradientsConvertedByOne) {
  const MachineConfig machine = test::tiny_machine();
  KernelConfig config;
  EXPECT_TRUE(transform_launches(machine, config, stem(Phase::forward)).empty());
  config.pads_channels_to = 8;
  constexpr std::int64_t kPixels = 2 * 224 * 224;
  for (const Phase phase : {Phase::forward, Phase::wgrad}) {
    const std::vector<KernelLaunch> launches = transform_launches(machine, config, stem(phase));
    ASSERT_EQ(launches.size(), 2U);
    EXPECT_EQ(launches[0].stored_bytes(), kPixels * 16);
    EXPECT_EQ(launches[0].k_steps, 0);
    EXPECT_EQ(launches[1].stored_bytes(), kPixels * 16);
    EXPECT_EQ(launches[1].distinct_bytes(Operand::a), kPixels * 6);
  }
  GemmProblem whole = stem(Phase::forward);
  whole.k = 49 * 16;
  whole.b.unique_k = 64;
  EXPECT_TRUE(transform_launches(machine, config, whole).empty());
  config.converts_a = true;
  const std::vector<KernelLaunch> copies = transform_launches(machine, config, whole);
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].stored_bytes(), 64 * 49 * 16 * 2);
  EXPECT_EQ(copies[0].distinct_bytes(Operand::a), 64 * 49 * 16 * 2);
}

}  // namespace
}  // namespace stcsim
