#include "models/fast_forward/fast_forward.hpp"

#include "tests/unit/models/diagram_fixture.hpp"

namespace stcsim::test {
namespace {

/// One SM. The tests let the machine's state come round again by hand: everything is moved by a
/// period, as if the machine had gone through it.
class FastForwardTest : public DiagramTest {
 protected:
  FastForwardTest() : DiagramTest(1), fast_forward_(machine_) {}

  void start(const KernelLaunch& launch) {
    kernel_ = launch;
    DiagramTest::launch(launch, false);
    fast_forward_.start(launch);
  }
  /// A CTA of so many k-steps is in the slot; the first of them has been asked for.
  void begin_cta(std::int64_t steps, std::int64_t slot = 0) {
    sm(0).copy_engine->core.starts.push(now(), 0, {slot, steps});
    (void)sm(0).copy_engine->core.advance(now());
  }
  void recur(const Period& period) {
    StateOrigin origin;
    origin.groups_per_step = kernel_.warp.groups_per_step;
    const std::vector<std::int64_t> growth(1000, 0);
    StateAdvancer advancer(period, 1, origin, growth);
    for (ClocklessUnit* const unit : machine_.shared_units()) {
      unit->move_ahead(advancer);
      unit->skip(period.length);
    }
    sm(0).move_ahead(advancer, period.length);
    machine_.shared.clock.skip(period.length);
  }
  /// The fast-forward looks at the machine because a k-step of the CTA in slot 0 has been read,
  void look_at_steps() {
    fast_forward_.step_read(0, 0);
    settle();
  }
  /// or because SM 0 was given a CTA.
  void look_at_waves() {
    fast_forward_.cta_dispatched(0);
    settle();
  }
  [[nodiscard]] std::int64_t next_step(std::int64_t slot = 0) {
    return sm(0).copy_engine->core.next_step(slot);
  }
  [[nodiscard]] std::int64_t dispatched() { return machine_.cta_scheduler->core.dispatched(); }

  KernelLaunch kernel_;
  FastForward fast_forward_;
};

/// Every 10 cycles the CTA is two k-steps further. K-steps 0 to 2 of 20 have been asked for; while
/// it has fragments of two beyond the last one loaded (one for each buffer), 15 can be skipped:
/// seven times two.
TEST_F(FastForwardTest, PeriodsOfKStepsAreSkippedToTheEndOfTheCta) {
  start(kernel(1, 20));
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  EXPECT_EQ(next_step(), 3);
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 7 * 2);
  EXPECT_EQ(now(), Cycle(10 + 7 * 10));
}

/// A warp's two buffers hold one k-step of two groups: 16 can be skipped.
TEST_F(FastForwardTest, WarpsAreAheadByTheirFragmentBuffers) {
  KernelLaunch two_groups = kernel(1, 20);
  two_groups.warp.groups_per_step = 2;
  start(two_groups);
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 8 * 2);
}

/// Three stages lie in a ring: a move by two k-steps puts them where they were after three times.
TEST_F(FastForwardTest, StagesStayWhereTheyLie) {
  KernelLaunch three_stages = kernel(1, 20);
  three_stages.stages = 3;
  start(three_stages);
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 6 * 2);
}

/// What is equal lies two looks back; what lies between is another state.
TEST_F(FastForwardTest, APeriodMayHaveSeveralLooks) {
  start(kernel(1, 40));
  begin_cta(40);
  look_at_steps();
  recur({Cycles(10), 2});
  plan_something(0, now() + Cycles(1000));
  look_at_steps();
  EXPECT_EQ(next_step(), 3);
  recur({Cycles(15), 2});
  sm(0).cta_slots->core.assignments.clear();
  look_at_steps();
  // 35 are left, of which 33 can be skipped: eight times four, 25 cycles each.
  EXPECT_EQ(next_step(), 5 + 8 * 4);
  EXPECT_EQ(now(), Cycle(25 + 8 * 25));
}

TEST_F(FastForwardTest, AnotherStateIsNotSkipped) {
  start(kernel(1, 20));
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  plan_something(0, now() + Cycles(1000));
  look_at_steps();
  EXPECT_EQ(next_step(), 3);
  EXPECT_EQ(now(), Cycle(10));
}

/// The CTA in slot 1 comes later, so the one in slot 0 is the first to end.
TEST_F(FastForwardTest, TheCtaThatEndsFirstIsTheLimit) {
  KernelLaunch two_slots = kernel(2, 20);
  two_slots.ctas_per_sm = 2;
  start(two_slots);
  begin_cta(20, 0);
  look_at_steps();
  recur({Cycles(10), 2});
  begin_cta(20, 1);
  look_at_steps();
  EXPECT_EQ(next_step(0), 3);
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(0), 5 + 6 * 2);
  EXPECT_EQ(next_step(1), 2 + 6 * 2);
}

TEST_F(FastForwardTest, ACtaWithFewKStepsLeftIsNotLookedAt) {
  start(kernel(1, 4));
  begin_cta(4);
  look_at_steps();
  recur({Cycles(10), 1});
  look_at_steps();
  EXPECT_EQ(next_step(), 2);
  EXPECT_EQ(machine_.router->activations(), 0);
}

/// Many CTAs are left, so that waves may recur, which saves more than four of nine k-steps.
TEST_F(FastForwardTest, AFewKStepsAreLeftToWavesThatMayRecur) {
  start(kernel(100, 9));
  begin_cta(9);
  look_at_steps();
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3);
  EXPECT_EQ(now(), Cycle(10));
}

TEST_F(FastForwardTest, ManyKStepsAreNot) {
  start(kernel(100, 20));
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 7 * 2);
}

/// Two CTAs every 30 cycles, ten in all: the last ones are skipped too.
TEST_F(FastForwardTest, PeriodsOfCtasAreSkippedToTheEndOfTheGrid) {
  start(kernel(10, 1));
  look_at_waves();
  recur({Cycles(30), 0, 2});
  EXPECT_EQ(dispatched(), 2);
  look_at_waves();
  EXPECT_EQ(dispatched(), 2 + 4 * 2);
  EXPECT_EQ(now(), Cycle(30 + 4 * 30));
  EXPECT_EQ(machine_.shared.ctas_left, 10 - 4 * 2);  // the router was not told of the first two
}

/// An SM with two slots takes on two CTAs at a time, so that one may wait for a slot: the last CTA
/// is not one of a full number.
TEST_F(FastForwardTest, TheEndOfTheGridIsSeenWhileSlotsWait) {
  KernelLaunch two_slots = kernel(10, 1);
  two_slots.ctas_per_sm = 2;
  start(two_slots);
  look_at_waves();
  recur({Cycles(30), 0, 2});
  look_at_waves();
  EXPECT_EQ(dispatched(), 2 + 3 * 2);
}

/// The last tile is lower than the others.
TEST_F(FastForwardTest, CtasOfOtherSizesAreNotSkipped) {
  KernelLaunch low = kernel(10, 1);
  low.a.edge_rows = 5;
  low.edge_m = 5;
  start(low);
  look_at_waves();
  recur({Cycles(30), 0, 2});
  look_at_waves();
  EXPECT_EQ(dispatched(), 2 + 3 * 2);
}

TEST_F(FastForwardTest, NothingIsSkippedWhereTheGridEnds) {
  start(kernel(3, 1));
  look_at_waves();
  recur({Cycles(30), 0, 2});
  look_at_waves();
  EXPECT_EQ(dispatched(), 2);
}

/// States of k-steps and of waves are not taken for one another.
TEST_F(FastForwardTest, KindsAreKeptApart) {
  start(kernel(1, 20));
  begin_cta(20);
  look_at_steps();
  recur({Cycles(10), 2});
  look_at_waves();
  EXPECT_EQ(next_step(), 3);
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 7 * 2);
}

TEST_F(FastForwardTest, StoppedItLooksAtNothing) {
  start(kernel(1, 20));
  begin_cta(20);
  look_at_steps();
  fast_forward_.stop();
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3);
}

/// What the cache was asked for in the period would be answered otherwise: k-steps 4 and 5 of A
/// are there already.
TEST_F(FastForwardTest, WhatTheCacheWouldAnswerOtherwiseIsNotSkipped) {
  start(kernel(1, 20));
  begin_cta(20);
  look_at_steps();
  L2Cache& cache = machine_.l2_cache->core;
  ASSERT_NE(cache.log, nullptr);
  L2Contents& contents = cache.contents();
  const auto bring_in = [&](std::int64_t step) {
    contents.note(contents.place_of(Operand::a, 0, step), L2Contents::kAtLaunch);
  };
  cache.log->add_batch();
  for (const std::int32_t step : {0, 1}) {
    cache.log->add_load({0, step, 0, 100, Operand::a, L2Access::Outcome::missed, step % 2 != 0, 8});
  }
  bring_in(4);
  bring_in(5);
  recur({Cycles(10), 2});
  look_at_steps();
  EXPECT_EQ(next_step(), 3 + 1 * 2);
}

}  // namespace
}  // namespace stcsim::test
