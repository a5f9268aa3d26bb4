#include "models/accelerator/sm_router.hpp"

#include "tests/unit/models/diagram_fixture.hpp"

namespace stcsim::test {
namespace {

using Groups = std::vector<SmNumbers>;
using Numbers = std::vector<std::int64_t>;

/// Four SMs in one group, represented by SM 0. What they are sent arrives long after the tests.
class SmRouterTest : public DiagramTest {
 protected:
  static constexpr Cycle kLater{1000};

  SmRouterTest() : DiagramTest(4), router_(*machine_.router) { launch(kernel(7, 8), true); }

  void send_fill(const SmNumbers& sms, std::int64_t step) {
    StageFill fill{0, step, kLater};
    fill.sms = set(sms);
    fills_.send(kLater, fill);
  }
  void give(std::int64_t number, std::int64_t steps, std::int64_t cta) {
    assignments_.send(kLater, {number, 0, steps, cta});
  }
  /// K-steps of the fills on their way to an SM, in the order of arrival. They are taken out.
  [[nodiscard]] Numbers fills_of(std::int64_t number) {
    Inbox<StageFill>& inbox = sm(number).shared_memory->core.fills;
    Numbers steps;
    while (!inbox.empty()) steps.push_back(inbox.pop().step);
    return steps;
  }
  /// K-steps of the CTAs on their way to an SM, likewise.
  [[nodiscard]] Numbers ctas_of(std::int64_t number) {
    Inbox<CtaAssignment>& inbox = sm(number).cta_slots->core.assignments;
    Numbers steps;
    while (!inbox.empty()) steps.push_back(inbox.pop().steps);
    return steps;
  }

  SmRouter& router_;
  OutPort<StageFill>& fills_{router_.fills->wire_from({})};
  OutPort<CtaAssignment>& assignments_{router_.assignments->wire_from({})};
};

/// One message, to the one that is simulated, without a turn of the router's.
TEST_F(SmRouterTest, AMessageForAWholeGroupDoesNotWait) {
  send_fill({0, 1, 2, 3}, 7);
  EXPECT_EQ(fills_of(0), Numbers{7});
  EXPECT_EQ(fills_of(1), Numbers{});
  settle();
  EXPECT_EQ(router_.activations(), 0);
}

TEST_F(SmRouterTest, AMessageForAPartWaitsForTheEndOfTheCycle) {
  send_fill({1, 2}, 7);
  EXPECT_EQ(fills_of(1), Numbers{});
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
  settle();
  EXPECT_EQ(router_.activations(), 1);
  EXPECT_EQ(groups(), (Groups{{0, 3}, {1, 2}}));
  EXPECT_EQ(fills_of(0), Numbers{});
  EXPECT_EQ(fills_of(1), Numbers{7});
}

/// So that nothing overtakes it, what comes behind waits too.
TEST_F(SmRouterTest, NothingOvertakesAMessageThatWaits) {
  send_fill({1, 2}, 7);
  send_fill({0, 1, 2, 3}, 8);
  EXPECT_EQ(fills_of(0), Numbers{});
  settle();
  EXPECT_EQ(fills_of(0), Numbers{8});
  EXPECT_EQ(fills_of(1), (Numbers{7, 8}));
}

TEST_F(SmRouterTest, ANewLaunchKnowsNothingOfMessagesThatWaited) {
  send_fill({1, 2}, 7);
  launch(kernel(7, 8), true);
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(fills_of(0), Numbers{});
}

/// CTAs of 5 k-steps for three SMs, one of 3 for the fourth.
TEST_F(SmRouterTest, CtasOfTheSameKindLeaveSmsTogether) {
  give(3, 5, 13);
  give(2, 3, 12);
  give(0, 5, 10);
  give(1, 5, 11);
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 1, 3}, {2}}));
  EXPECT_EQ(ctas_of(0), Numbers{5});
  EXPECT_EQ(ctas_of(2), Numbers{3});
  EXPECT_EQ(machine_.shared.ctas_left, 7 - 4);
}

TEST_F(SmRouterTest, WhoIsGivenNothingStaysBehind) {
  give(0, 5, 0);
  give(1, 5, 1);
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 1}, {2, 3}}));
  EXPECT_EQ(ctas_of(2), Numbers{});
}

/// They had parted, are in the same state again, and do the same from now on.
TEST_F(SmRouterTest, GroupsThatAreGivenTheSameAreMerged) {
  (void)router_.alike().isolate(set({1, 2}));
  for (const std::int64_t number : {0, 1, 2, 3}) give(number, 5, number);
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 1, 2, 3}}));
  EXPECT_EQ(ctas_of(0), Numbers{5});
}

TEST_F(SmRouterTest, GroupsInDifferentStatesAreNot) {
  (void)router_.alike().isolate(set({1, 2}));
  sm(1).shared_memory->core.staging.push(kLater, 0, {64});
  for (const std::int64_t number : {0, 1, 2, 3}) give(number, 5, number);
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 3}, {1, 2}}));
}

/// SM 2 is given two CTAs, in the order of their numbers.
TEST_F(SmRouterTest, CtasOfOneCycleArriveInTheirOrder) {
  assignments_.send(kLater, {2, 1, 6, 3});
  assignments_.send(kLater, {2, 0, 5, 2});
  settle();
  EXPECT_EQ(groups(), (Groups{{0, 1, 3}, {2}}));
  EXPECT_EQ(ctas_of(2), (Numbers{5, 6}));
}

/// 7 CTAs on 4 SMs: one of them has two, of 10 cycles or more each, so that the first has to have
/// begun by cycle 80 of 100.
TEST_F(SmRouterTest, ALimitIsPassedWhenTheCtasLeftCannotBeDoneInTime) {
  router_.set_limit(Cycles(100), Cycles(10));
  machine_.shared.clock.skip(Cycles(80));
  EXPECT_FALSE(router_.is_over_limit());
  machine_.shared.clock.skip(kOneCycle);
  EXPECT_TRUE(router_.is_over_limit());
}

/// With three of them given out, the four others take 10 cycles.
TEST_F(SmRouterTest, CtasGivenOutMoveTheLimit) {
  router_.set_limit(Cycles(100), Cycles(10));
  for (const std::int64_t number : {0, 1, 2}) give(number, 5, number);
  settle();
  machine_.shared.clock.skip(Cycles(90));
  EXPECT_FALSE(router_.is_over_limit());
  machine_.shared.clock.skip(kOneCycle);
  EXPECT_TRUE(router_.is_over_limit());
}

TEST_F(SmRouterTest, SoDoThoseThatAreSkipped) {
  router_.set_limit(Cycles(100), Cycles(10));
  router_.skip_ctas(7);
  machine_.shared.clock.skip(Cycles(100));
  EXPECT_FALSE(router_.is_over_limit());
  machine_.shared.clock.skip(kOneCycle);
  EXPECT_TRUE(router_.is_over_limit());
}

TEST_F(SmRouterTest, ALimitShorterThanTheCtasLeavesNoChance) {
  router_.set_limit(Cycles(19), Cycles(10));
  EXPECT_FALSE(router_.is_over_limit());
  machine_.shared.clock.skip(kOneCycle);
  EXPECT_TRUE(router_.is_over_limit());
}

TEST_F(SmRouterTest, WithoutALimitThereIsNone) {
  router_.set_limit(std::nullopt, Cycles(10));
  machine_.shared.clock.skip(Cycles(1'000'000'000));
  EXPECT_FALSE(router_.is_over_limit());
}

/// The cycles in which it was called.
class SmRouterCalls : public SmRouterTest {
 protected:
  SmRouterCalls() {
    router_.after_cycle = [this] { calls_.push_back(now().index()); };
  }

  Numbers calls_;
};

TEST_F(SmRouterCalls, ComeOnceACycleInOrder) {
  router_.request_call(Cycle(5));
  router_.request_call(Cycle(3));
  router_.request_call(Cycle(5));
  run_until(Cycle(4));
  EXPECT_EQ(calls_, Numbers{3});
  run_until(Cycle(10));
  EXPECT_EQ(calls_, (Numbers{3, 5}));
}

/// After the messages of the cycle have been routed.
TEST_F(SmRouterCalls, ComeAtTheEndOfTheCycle) {
  Groups seen;
  router_.after_cycle = [&] { seen = groups(); };
  router_.request_call(Cycle());
  EXPECT_EQ(seen, Groups{});
  send_fill({1, 2}, 7);
  settle();
  EXPECT_EQ(seen, (Groups{{0, 3}, {1, 2}}));
}

TEST_F(SmRouterCalls, MayAskForTheNext) {
  router_.after_cycle = [this] {
    calls_.push_back(now().index());
    if (now() < Cycle(6)) router_.request_call(now() + Cycles(2));
  };
  router_.request_call(Cycle(2));
  run_until(Cycle(20));
  EXPECT_EQ(calls_, (Numbers{2, 4, 6}));
}

TEST_F(SmRouterCalls, CanBeGivenUp) {
  router_.request_call(Cycle(3));
  router_.forget_calls();
  run_until(Cycle(5));
  EXPECT_EQ(calls_, Numbers{});
}

}  // namespace
}  // namespace stcsim::test
