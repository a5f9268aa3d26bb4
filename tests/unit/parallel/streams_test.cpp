#include "sim/parallel/streams.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

using enum KernelClass;

const BesideCollectives kBeside{2, 4, 5};

TEST(Streams, KernelsFollowEachOther) {
  const StreamTimes times = run_streams({{{10, product}, {20, other}}, {}}, kBeside);
  EXPECT_EQ(times.us, 30);
  EXPECT_EQ(times.kernels_us, 30);
  EXPECT_EQ(times.slowed_us, 0);
  EXPECT_TRUE(times.exposed.empty());
}

TEST(Streams, AKernelTakesLongerBesideACollective) {
  // 50 us at half the pace leave 75 of 100 us.
  const StreamTimes times = run_streams({{{100, product}}, {{"weights", 50}}}, kBeside);
  EXPECT_EQ(times.us, 125);
  EXPECT_EQ(times.kernels_us, 100);
  EXPECT_EQ(times.slowed_us, 25);
  EXPECT_TRUE(times.exposed.empty());
  EXPECT_EQ(times.collectives, (NamedTimes{{"weights", 50}}));
}

TEST(Streams, EveryKindOfKernelLosesItsOwn) {
  for (const auto& [kind, us] : {std::pair(product, 20.0), {attention, 40.0}, {other, 50.0}}) {
    EXPECT_EQ(run_streams({{{10, kind}}, {{"weights", 1000}}}, kBeside).slowed_us, us - 10);
  }
  EXPECT_EQ(run_streams({{{10, wait}}, {{"weights", 1000}}}, kBeside).slowed_us, 0);
}

TEST(Streams, WhatKernelsWaitForIsExposedByName) {
  const StepStreams step{{{10, product}, {10, product, 0}},
                         {{"weights", 30, 0}, {"gradients", 7, 1}}};
  const StreamTimes times = run_streams(step, kBeside);
  EXPECT_EQ(times.us, 10 + 30 + 10 + 7);
  EXPECT_EQ(times.exposed, (NamedTimes{{"weights", 30}, {"gradients", 7}}));
}

/// Kernels until 10 and from 40 to 50, a wait of the host of 5, then slowed ones: 4 beside the 8 us
/// that are left of the gradients.
TEST(Streams, SayWhatEachDoesAndWhen) {
  const StepStreams step{{{6, product}, {4, other}, {10, product, 0}, {5, wait}, {4, product}},
                         {{"weights", 30, 1}, {"gradients", 13, 2}}};
  const StreamTimes times = run_streams(step, kBeside);
  EXPECT_EQ(
      times.kernel_spans,
      (std::vector<StreamSpan>{
          {"kernels", 0, 10}, {"kernels", 40, 50}, {"host", 50, 55}, {"slowed kernels", 55, 63}}));
  EXPECT_EQ(times.collective_spans,
            (std::vector<StreamSpan>{{"weights", 10, 40}, {"gradients", 50, 63}}));
}

TEST(Streams, StreamsThatWaitForEachOtherAreRefused) {
  EXPECT_THROW((void)run_streams({{{10, product, 0}}, {{"weights", 30, 0}}}, kBeside),
               std::logic_error);
}

}  // namespace
}  // namespace stcsim
