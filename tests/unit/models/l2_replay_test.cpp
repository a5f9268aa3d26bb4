#include "models/fast_forward/l2_replay.hpp"

#include "tests/unit/models/l2_cache_fixture.hpp"

namespace stcsim::test {
namespace {

/// A CTA that walks along K: two k-steps have been asked for and noted, k-steps 0 and 1. Replaying
/// moves them by two k-steps at a time, without time passing.
class L2ReplayTest : public L2CacheTest {
 protected:
  static constexpr Period kTwoSteps{Cycles(20), 2, 0, 2};

  static KernelLaunch long_kernel(std::int64_t slice_bytes = 100, std::int64_t k_steps = 20) {
    KernelLaunch launch = kernel(slice_bytes);
    launch.k_steps = k_steps;
    launch.a.distinct_slices = launch.b.distinct_slices = k_steps;
    return launch;
  }
  void launch(const KernelLaunch& kernel) {
    L2CacheTest::launch(kernel);
    replay_.launch(kernel);
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
    const std::int64_t times = replay_.run(log_.since(0), period, most, block);
    const StateOrigin origin;
    DescribedState before;
    StateWriter writer(StateWriter::Kind::complete, origin, before);
    core_.visit_state(writer);
    const std::vector<std::int64_t> growth(before.counters.size(), 0);  // they do not matter here
    StateAdvancer advancer(period, times, origin, growth);
    core_.visit_state(advancer);
    return times;
  }

  L2AccessLog log_;
  L2Replay replay_{core_.config(), core_.contents()};
};

TEST_F(L2ReplayTest, AccessesAreNotedCycleByCycle) {
  note_two_misses();
  ASSERT_EQ(log_.end(), 2);
  const L2Accesses last = log_.since(1);
  const L2Batch& batch = last.batches().front();
  ASSERT_EQ(batch.loads, 1U);
  const L2Access& access = last.loads_of(batch).front();
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

/// K-step 6 is there already: the third period, 6 and 7, would not miss. Where an answer changes,
/// the periods up to there are found one by one.
TEST_F(L2ReplayTest, StopsBeforeTheFirstDifferentAnswer) {
  launch(long_kernel());
  bring_in(0, 6);
  core_.log = &log_;
  bring_in(20, 0);
  bring_in(40, 1);
  core_.log = nullptr;
  EXPECT_EQ(replay(kTwoSteps, 4, 1), 2);
  EXPECT_EQ(replay_.one_by_one(), 2 * 2 + 1);
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

/// A hit on what was there at launch stays one until 1495 bytes have been brought in. Each period
/// hits A twice and misses 100 bytes of B each time: of the seventh after the one noted, the second
/// hit would find 1500.
TEST_F(L2ReplayTest, AHitEndsWhenItsShareOfTheCapacityIsUsedUp) {
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
  EXPECT_EQ(replay(kTwoSteps, 8, 1), 6);
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

/// Each period reads two slices that were there at launch, then stores 250 bytes. The fifth one
/// after that noted finds 1250 bytes brought in, the sixth 1500.
TEST_F(L2ReplayTest, StoresTakeThePlaceOfWhatIsThere) {
  KernelLaunch after = long_kernel();
  after.a.starts_in_l2 = true;
  launch(after);
  core_.log = &log_;
  load(0, 0);
  load(1, 1);
  store(2, 250);
  run(2);
  core_.log = nullptr;
  EXPECT_EQ(replay({Cycles(20), 2, 0, 0}, 9, 1), 5);
}

/// Whole strips at a time: no access is looked at by itself.
TEST_F(L2ReplayTest, KStepsAreReplayedStripByStrip) {
  note_two_misses();
  EXPECT_EQ(replay(kTwoSteps, 4, 1), 4);
  EXPECT_EQ(replay_.one_by_one(), 0);
}

/// SM 0 walks along the strip two k-steps ahead of SM 2, which therefore finds what SM 0 has
/// brought in, whichever of them asks first in a period.
TEST_F(L2ReplayTest, WhoWalksAheadBringsInForTheOthers) {
  for (const bool ahead_first : {true, false}) {
    log_ = L2AccessLog();
    launch(long_kernel());
    bring_in(0, 0);
    bring_in(20, 1);
    core_.log = &log_;
    if (!ahead_first) load(40, 0, {2});
    bring_in(50, 2);
    if (ahead_first) load(70, 0, {2});
    core_.log = nullptr;
    EXPECT_EQ(replay({Cycles(20), 2, 0, 1}, 7, 1), 7);
    EXPECT_EQ(replay_.one_by_one(), 0);
    EXPECT_TRUE(hits(300, 16));
    EXPECT_FALSE(hits(400, 18));
  }
}

/// The one behind finds nothing of a slice when 9980 bytes lie between: the distance stays, so
/// whoever is too far behind misses in every period.
TEST_F(L2ReplayTest, WhoIsTooFarBehindMissesToo) {
  launch(long_kernel(1000, 60));
  for (std::int64_t step = 0; step < 22; step += 2) bring_in(20 * step, step);
  core_.log = &log_;
  bring_in(500, 22);
  bring_in(520, 0);
  core_.log = nullptr;
  EXPECT_EQ(replay({Cycles(20), 2, 0, 2}, 10, 1), 10);
  EXPECT_EQ(replay_.one_by_one(), 0);
  EXPECT_EQ(missed(900, 42), 130);  // an eighth: it came, and 20 after it
  EXPECT_EQ(missed(1000, 20), 0);
  EXPECT_EQ(missed(1100, 22), 1000);
}

/// Slices of 500 bytes: some 2000 lie between the two, and an eighth is missing every time.
TEST_F(L2ReplayTest, WhoFollowsAtADistanceMissesAPartEveryTime) {
  launch(long_kernel(500, 40));
  for (const std::int64_t step : {0, 2, 4}) bring_in(20 * step, step);
  core_.log = &log_;
  bring_in(300, 6);
  bring_in(320, 0);
  core_.log = nullptr;
  EXPECT_EQ(dram_.sent.back().message.bytes, 70);
  EXPECT_EQ(replay({Cycles(20), 2, 0, 2}, 10, 1), 10);
  EXPECT_EQ(replay_.one_by_one(), 0);
  EXPECT_EQ(missed(900, 22), 70);
  EXPECT_EQ(missed(1000, 24), 0);
}

/// One period later the follower would miss two eighths instead of one.
TEST_F(L2ReplayTest, StopsWhereMoreIsMissingThanBefore) {
  launch(long_kernel(500, 40));
  for (const std::int64_t step : {0, 2, 4, 6}) bring_in(20 * step, step);
  core_.log = &log_;
  bring_in(300, 8);
  bring_in(320, 2);  // 2000 bytes since
  core_.log = nullptr;
  EXPECT_EQ(dram_.sent.back().message.bytes, 70);
  store(400, 500);
  run(400);
  EXPECT_EQ(replay({Cycles(20), 2, 0, 2}, 10, 1), 0);
}

}  // namespace
}  // namespace stcsim::test
