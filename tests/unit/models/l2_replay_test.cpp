#include "tests/unit/models/l2_cache_fixture.hpp"

namespace stcsim::test {
namespace {

/// A CTA that walks along K: two k-steps have been asked for and noted, k-steps 0 and 1. Replaying
/// moves them by two k-steps at a time, without time passing.
class L2ReplayTest : public L2CacheTest {
 protected:
  static constexpr Period kTwoSteps{Cycles(20), 2, 0, 2};

  static KernelLaunch long_kernel() {
    KernelLaunch launch = kernel(100);
    launch.k_steps = 20;
    launch.a.distinct_slices = launch.b.distinct_slices = 20;
    return launch;
  }
  /// Brings k-steps 0 and 1 in, 100 bytes each, and notes it.
  void note_two_misses() {
    launch(long_kernel());
    core_.log = &log_;
    bring_in(0, 0);
    bring_in(20, 1);
    core_.log = nullptr;
  }

  /// Replays what was noted; the rest of the cache's state is moved as far.
  std::int64_t replay(const Period& period, std::int64_t most, std::int64_t block) {
    const std::int64_t times = core_.replay(log_, period, most, block);
    const StateOrigin origin;
    const std::vector<std::int64_t> growth(8, 0);  // counters do not matter here
    StateAdvancer advancer(period, times, origin, growth);
    core_.visit_state(advancer);
    return times;
  }

  L2AccessLog log_;
};

TEST_F(L2ReplayTest, AccessesAreNotedCycleByCycle) {
  note_two_misses();
  ASSERT_EQ(log_.size(), 2U);
  ASSERT_EQ(log_[1].loads.size(), 1U);
  const L2Access& access = log_[1].loads[0];
  EXPECT_EQ(access.step, 1);
  EXPECT_EQ(access.cta, 0);
  EXPECT_EQ(access.bytes, 100);
  EXPECT_EQ(access.outcome, L2Access::Outcome::missed);
  EXPECT_TRUE(access.odd);
}

/// K-steps 2 to 9 are new as 0 and 1 were: afterwards they are there.
TEST_F(L2ReplayTest, MissesAreReplayedAsLongAsTheyMiss) {
  note_two_misses();
  EXPECT_EQ(replay(kTwoSteps, 4, 1), 4);
  EXPECT_TRUE(hits(100, 9));
  EXPECT_FALSE(hits(200, 10));
}

/// K-step 6 is there already: the third period, 6 and 7, would not miss.
TEST_F(L2ReplayTest, StopsBeforeTheFirstDifferentAnswer) {
  launch(long_kernel());
  bring_in(0, 6);
  core_.log = &log_;
  bring_in(20, 0);
  bring_in(40, 1);
  core_.log = nullptr;
  EXPECT_EQ(replay(kTwoSteps, 4, 1), 2);
}

/// In blocks of two periods the second block fails as a whole and leaves no trace.
TEST_F(L2ReplayTest, ABlockIsReplayedAsAWholeOrNotAtAll) {
  launch(long_kernel());
  bring_in(0, 8);
  core_.log = &log_;
  bring_in(20, 0);
  bring_in(40, 1);
  core_.log = nullptr;
  EXPECT_EQ(replay(kTwoSteps, 5, 2), 2);
  EXPECT_FALSE(hits(100, 6));
  EXPECT_TRUE(hits(200, 5));
}

TEST_F(L2ReplayTest, ReplaysWholeBlocksOnly) {
  note_two_misses();
  EXPECT_EQ(replay(kTwoSteps, 5, 3), 3);
}

/// A hit on what was there at launch stays one until 1000 bytes have been brought in. Each period
/// hits A and misses 200 bytes of B: after the one noted, 4 more leave 1000.
TEST_F(L2ReplayTest, AHitEndsWhenTheCapacityIsUsedUp) {
  KernelLaunch after = long_kernel();
  after.a.starts_in_l2 = true;
  launch(after);
  core_.log = &log_;
  for (const std::int64_t step : {0, 1}) {
    ask(20 * step, step, {0}, 0, Operand::a);
    ask(20 * step, step, {0}, 0, Operand::b);
    run(20 * step);
    fill(20 * step + 10, 20 * step + 10, static_cast<std::size_t>(step));
  }
  core_.log = nullptr;
  EXPECT_EQ(replay(kTwoSteps, 8, 1), 4);
}

/// After one k-step what was near is far.
TEST_F(L2ReplayTest, AMoveByOneStepIsNotTheSame) {
  note_two_misses();
  EXPECT_EQ(replay({Cycles(10), 1, 0, 1}, 4, 1), 0);
}

/// The next CTA reads strip 1 at the same k-steps, the one after it does not exist.
TEST_F(L2ReplayTest, CtasAreReplayedUntilTheGridEnds) {
  KernelLaunch wide = long_kernel();
  wide.tiles_m = 5;
  wide.a.strips = wide.a.distinct_strips = 5;
  launch(wide);
  core_.log = &log_;
  bring_in(0, 0);
  core_.log = nullptr;
  EXPECT_EQ(replay({Cycles(10), 0, 2, 1}, 9, 1), 2);  // CTAs 2 and 4
}

/// 250 bytes of workspace stay; the fourth period's would be the 1250th.
TEST_F(L2ReplayTest, WorkspaceIsReplayedWhileItStays) {
  launch(splitting_kernel());
  core_.log = &log_;
  store(0, 250);
  run(0);
  core_.log = nullptr;
  EXPECT_EQ(replay({Cycles(10), 0, 0, 0}, 9, 1), 3);
}

}  // namespace
}  // namespace stcsim::test
