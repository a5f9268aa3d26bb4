#include <vector>

#include <gtest/gtest.h>

#include "models/fast_forward/l2_replay.hpp"

namespace stcsim {
namespace {

/// Six tiles, two columns of three below each other: CTAs 0 to 2 share a strip of B, 3 to 5 the
/// other.
KernelLaunch six_tiles() {
  KernelLaunch launch;
  launch.tiles_m = launch.raster_group = 3;
  launch.tiles_n = 2;
  launch.k_steps = 8;
  launch.a = {3, 10, 10, 10, 10, 3, 8};
  launch.b = {2, 10, 10, 10, 10, 2, 8};
  return launch;
}

L2Access access(std::int64_t cta, Operand operand, std::int32_t step) {
  return {cta, step, 0, 100, operand, L2Access::Outcome::missed, false};
}

/// CTAs of the loads that have to be checked, batch by batch.
std::vector<std::vector<std::int64_t>> ctas_of(const L2Accesses& accesses) {
  std::vector<std::vector<std::int64_t>> all;
  for (const L2Batch& batch : accesses.batches()) {
    all.emplace_back();
    for (const L2Access& one : accesses.loads_of(batch)) all.back().push_back(one.cta);
  }
  return all;
}

using Ctas = std::vector<std::vector<std::int64_t>>;

class ReplayPlanTest : public testing::Test {
 protected:
  static constexpr Period next(std::int64_t ctas) { return {Cycles(1), 0, ctas, 0}; }

  /// All of these CTAs ask for that operand's k-step in one cycle.
  void ask(const std::vector<std::int64_t>& ctas, Operand operand, std::int32_t step = 0) {
    log_.add_batch();
    for (const std::int64_t cta : ctas) log_.add_load(access(cta, operand, step));
  }
  [[nodiscard]] ReplayPlan plan() const { return {kernel_, log_.since(0)}; }

  KernelLaunch kernel_ = six_tiles();
  L2AccessLog log_;
};

TEST_F(ReplayPlanTest, OfThoseThatAskForTheSameOneIsEnough) {
  ask({0, 1, 2}, Operand::b);
  EXPECT_EQ(ctas_of(plan().accesses()), (Ctas{{0}}));
}

TEST_F(ReplayPlanTest, DifferentStripsAreAllChecked) {
  ask({0, 1, 2}, Operand::a);
  EXPECT_EQ(ctas_of(plan().accesses()), (Ctas{{0, 1, 2}}));
}

/// CTA 0 of every batch: the first to ask brings in for those of its own cycle.
TEST_F(ReplayPlanTest, WhatIsAskedForInAnotherCycleIsCheckedAgain) {
  ask({0, 1}, Operand::b);
  ask({1, 2}, Operand::b);
  EXPECT_EQ(ctas_of(plan().accesses()), (Ctas{{0}, {1}}));
}

TEST_F(ReplayPlanTest, DifferentKStepsAreNotTheSame) {
  log_.add_batch();
  log_.add_load(access(0, Operand::b, 0));
  log_.add_load(access(1, Operand::b, 1));
  log_.add_load(access(2, Operand::b, 1));
  EXPECT_EQ(ctas_of(plan().accesses()), (Ctas{{0, 1}}));
}

TEST_F(ReplayPlanTest, StoresStayWhereTheyCame) {
  ask({0, 1}, Operand::b);
  log_.add_batch(300);
  ask({2}, Operand::b);
  const ReplayPlan all = plan();
  EXPECT_EQ(ctas_of(all.accesses()), (Ctas{{0}, {}, {2}}));
  EXPECT_EQ(all.accesses().batches()[1].stored_bytes, 300);
}

TEST_F(ReplayPlanTest, EveryCtaIsReplacedByTheOneAPeriodLater) {
  ask({1, 2}, Operand::a);
  ReplayPlan all = plan();
  EXPECT_EQ(all.resident(1).cta, 1);
  ASSERT_TRUE(all.move_to(next(1), 3));
  EXPECT_EQ(all.resident(1).cta, 4);
  EXPECT_EQ(all.resident(2).cta, 5);
  ASSERT_TRUE(all.move_to(next(1), 1));
  EXPECT_EQ(all.resident(1).cta, 2);
}

TEST_F(ReplayPlanTest, BeyondTheLastCtaThereIsNone) {
  ask({0, 1}, Operand::a);
  ReplayPlan all = plan();
  EXPECT_TRUE(all.move_to(next(2), 2));   // 4 and 5
  EXPECT_FALSE(all.move_to(next(2), 3));  // 6 and 7
}

/// CTAs 2 and 3 stand in different columns, 3 and 4 in the same again.
TEST_F(ReplayPlanTest, WhoSharesNoMoreIsCheckedByItself) {
  ask({0, 1}, Operand::b);
  ReplayPlan all = plan();
  ASSERT_TRUE(all.move_to(next(2), 1));
  EXPECT_EQ(ctas_of(all.accesses()), (Ctas{{0, 1}}));
  ASSERT_TRUE(all.move_to(next(3), 1));
  EXPECT_EQ(ctas_of(all.accesses()), (Ctas{{0}}));
}

/// With K cut in two, CTAs 0 and 6 read the same strip from different k-steps on.
TEST_F(ReplayPlanTest, SlicesOfKShareNothing) {
  kernel_.splits = 2;
  ask({0, 6}, Operand::b);
  EXPECT_EQ(ctas_of(plan().accesses()), (Ctas{{0, 6}}));
}

/// Periods of k-steps leave the CTAs alone.
TEST_F(ReplayPlanTest, AMoveByKStepsMovesNoCta) {
  ask({0, 1}, Operand::b);
  ReplayPlan all = plan();
  ASSERT_TRUE(all.move_to({Cycles(1), 2, 0, 0}, 1000));
  EXPECT_EQ(all.resident(0).cta, 0);
  EXPECT_EQ(ctas_of(all.accesses()), (Ctas{{0}}));
}

}  // namespace
}  // namespace stcsim
