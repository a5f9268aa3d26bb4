#include <gtest/gtest.h>

#include "sim/run/bound_by.hpp"

namespace stcsim {
namespace {

constexpr CtaRounds kOneWave{1, true};

Demands math_and_fetch(double math, double fetch) {
  Demands demands;
  demands.math = math;
  demands.fetch = fetch;
  return demands;
}

TEST(CtaRounds, TheFullestSmHasAWholeNumber) {
  EXPECT_EQ((CtaRounds{2.5, false}.most()), 3);
  EXPECT_EQ((CtaRounds{2.5, false}.waves()), 3);
  EXPECT_EQ((CtaRounds{2.5, true}.most()), 3);
  EXPECT_EQ((CtaRounds{2.5, true}.waves()), 1);
  EXPECT_EQ((CtaRounds{0.5, true}.most()), 1);
}

/// As long as the busiest: the others work beside it.
TEST(MainLoop, SideBySide) {
  const MainLoop loop(kOneWave, math_and_fetch(100, 60), 100);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(0, 60)), 40);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(100, 0)), 0);
}

TEST(MainLoop, OneAfterTheOther) {
  const MainLoop loop(kOneWave, math_and_fetch(100, 60), 160);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(0, 60)), 100);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(100, 0)), 60);
}

/// Half of what the other works comes on top.
TEST(MainLoop, AsMuchSideBySideAsTheRunShows) {
  const MainLoop loop(kOneWave, math_and_fetch(100, 60), 130);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(0, 60)), 70);
  EXPECT_DOUBLE_EQ(loop.saved_by(math_and_fetch(100, 0)), 30);
}

TEST(MainLoop, WhatNoUnitWorksStays) {
  const MainLoop longer(kOneWave, math_and_fetch(100, 60), 320);
  EXPECT_DOUBLE_EQ(longer.saved_by(math_and_fetch(100, 0)), 60);
  EXPECT_DOUBLE_EQ(longer.idle(), 160);
  const MainLoop nothing(kOneWave, Demands(), 320);
  EXPECT_DOUBLE_EQ(nothing.saved_by(Demands()), 0);
  EXPECT_DOUBLE_EQ(nothing.idle(), 320);
}

/// The mean over SMs may be taken for too much: then savings are as much smaller.
TEST(MainLoop, NeverSavesMoreThanItTakes) {
  const MainLoop shorter(kOneWave, math_and_fetch(100, 60), 50);
  EXPECT_DOUBLE_EQ(shorter.saved_by(Demands()), 50);
  EXPECT_DOUBLE_EQ(shorter.saved_by(math_and_fetch(0, 60)), 20);
  EXPECT_DOUBLE_EQ(shorter.idle(), 0);
}

TEST(MainLoop, FetchFillAndStagingShareAPort) {
  Demands demands;
  demands.math = 100;
  demands.fetch = demands.fill = demands.staging = 50;
  const MainLoop loop(kOneWave, demands, 150);
  demands.fetch = 0;
  EXPECT_DOUBLE_EQ(loop.saved_by(demands), 50);
  demands.math = 0;
  demands.fetch = 50;
  EXPECT_DOUBLE_EQ(loop.saved_by(demands), 0);
}

/// Two and a half waves. Every SM multiplies for 150 cycles in each; the L2 cache works for 200 in
/// the full ones, which makes them as long, and for 100 in the last.
class ManyWaves : public testing::Test {
 protected:
  ManyWaves() {
    demands_.math = 450;
    demands_.l2_cache = 500;
  }
  Demands demands_;
  CtaRounds rounds_{2.5, false};
};

TEST_F(ManyWaves, WhatAllSmsShareWorksLessInTheLast) {
  const MainLoop loop(rounds_, demands_, 550);
  Demands without = demands_;
  without.l2_cache = 0;
  EXPECT_DOUBLE_EQ(loop.saved_by(without), 100);
  without = demands_;
  without.math = 0;
  EXPECT_DOUBLE_EQ(loop.saved_by(without), 50);
}

/// With more SMs two waves are enough, but the L2 cache has 250 cycles of work in each.
TEST_F(ManyWaves, FewerDoNotSpareWhatAllSmsShare) {
  const MainLoop loop(rounds_, demands_, 550);
  EXPECT_DOUBLE_EQ(loop.saved_by(demands_.with_share_of_sm(2.0 / 3), {2, false}), 50);
}

TEST_F(ManyWaves, AtOnceAreNoWaves) {
  const MainLoop loop({2.5, true}, demands_, 500);
  Demands without = demands_;
  without.l2_cache = 0;
  EXPECT_DOUBLE_EQ(loop.saved_by(without), 50);
}

}  // namespace
}  // namespace stcsim
