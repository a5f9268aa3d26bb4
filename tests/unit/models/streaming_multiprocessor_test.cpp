#include "models/streaming_multiprocessor/streaming_multiprocessor.hpp"

#include "common/error.hpp"
#include "tests/unit/models/diagram_fixture.hpp"

namespace stcsim::test {
namespace {

/// Two SMs; a way on the bus takes 40 cycles, so as far may one of them be simulated ahead.
class StreamingMultiprocessorTest : public DiagramTest {
 protected:
  StreamingMultiprocessorTest() : DiagramTest(2) {}

  /// All CTAs have been given out.
  void launch_last(bool run_ahead) {
    launch(kernel(4, 8), run_ahead);
    machine_.shared.ctas_left = 0;
  }
  /// The CTA in slot 0 ends in cycle `at`: its 64 bytes are stored after 30 cycles of set-up.
  void end_cta(std::int64_t number, Cycle at) {
    sm(number).epilogue->in(&Epilogue::starts).operator->()->wire_from({}).send(at, {0, 64});
  }
  [[nodiscard]] Cycle done_until(std::int64_t number) { return sm(number).agenda.done_until(); }
};

TEST_F(StreamingMultiprocessorTest, IsSimulatedAheadByTheWayOnTheBus) {
  launch_last(true);
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(40));
}

TEST_F(StreamingMultiprocessorTest, OnlyIfItMay) {
  launch_last(false);
  run_until(Cycle(7));
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(7));
}

/// It has a free slot, and CTAs are left: it may be given one at any time.
TEST_F(StreamingMultiprocessorTest, NotWhileItMayBeGivenACta) {
  launch(kernel(4, 8), true);
  run_until(Cycle(7));
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(7));
}

/// From cycle 31 on it has a store on the bus, whose answer comes without delay.
TEST_F(StreamingMultiprocessorTest, NotBeyondAStoreOfItsOwn) {
  launch_last(true);
  end_cta(0, Cycle(1));
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(31));
  EXPECT_TRUE(sm(0).epilogue->core.has_stores_on_bus());
}

/// What it does in cycle 41 is beyond the 40 that are known at the start, and done at cycle 1.
TEST_F(StreamingMultiprocessorTest, WhatLiesBeyondIsDoneWhenItIsKnown) {
  launch_last(true);
  end_cta(0, Cycle(11));
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(40));
  EXPECT_FALSE(sm(0).epilogue->core.has_stores_on_bus());
  run_until(Cycle(1));
  sm(0).run_ahead();
  EXPECT_EQ(done_until(0), Cycle(41));
  EXPECT_TRUE(sm(0).epilogue->core.has_stores_on_bus());
}

TEST_F(StreamingMultiprocessorTest, AMessageForACycleThatIsOverIsAnError) {
  launch_last(true);
  sm(0).run_ahead();
  EXPECT_THROW(end_cta(0, Cycle(40)), SimulationError);
  EXPECT_NO_THROW(end_cta(0, Cycle(41)));
}

/// Its process acts at the agenda's next turn without being asked.
TEST_F(StreamingMultiprocessorTest, ActsWhenItsAgendaSays) {
  launch_last(false);
  end_cta(0, Cycle(5));
  sm(0).arm();
  run_until(Cycle(34));
  EXPECT_FALSE(sm(0).epilogue->core.has_stores_on_bus());
  run_until(Cycle(35));
  EXPECT_TRUE(sm(0).epilogue->core.has_stores_on_bus());
}

TEST_F(StreamingMultiprocessorTest, DisarmedItDoesNothing) {
  launch_last(false);
  end_cta(0, Cycle(5));
  sm(0).arm();
  sm(0).disarm();
  run_until(Cycle(100));
  EXPECT_FALSE(sm(0).epilogue->core.has_stores_on_bus());
  EXPECT_EQ(sm(0).agenda.next(), kNever);
}

/// The copy goes on as the other does: with what it waits for, what is planned, and as far ahead.
TEST_F(StreamingMultiprocessorTest, ACopyDoesTheSame) {
  launch_last(true);
  end_cta(0, Cycle(11));
  sm(0).run_ahead();
  sm(1).copy_state(sm(0));
  EXPECT_EQ(done_until(1), Cycle(40));
  EXPECT_EQ(sm(1).agenda.next(), Cycle(41));
  EXPECT_EQ(described(1).state, described(0).state);
  EXPECT_EQ(described(1).counters, described(0).counters);
  run_until(Cycle(1));
  sm(1).run_ahead();
  EXPECT_TRUE(sm(1).epilogue->core.has_stores_on_bus());
}

/// Every unit of the SM is part of the copy.
TEST_F(StreamingMultiprocessorTest, ACopyLeavesNothingOut) {
  launch_last(false);
  StreamingMultiprocessor& one = sm(0);
  const Cycle later(1000);
  one.cta_slots->core.assignments.push(later, 0, {0, 0, 3, 0});
  one.copy_engine->core.starts.push(later, 0, {0, 3});
  one.shared_memory->core.staging.push(later, 0, {64});
  one.epilogue->core.starts.push(later, 0, {0, 64});
  one.sub_cores[0]->core.warp_scheduler.starts.push(later, 0, {0, 3});
  ASSERT_NE(described(1).state, described(0).state);
  sm(1).copy_state(one);
  EXPECT_EQ(described(1).state, described(0).state);
}

/// How far it has been simulated is part of its state.
TEST_F(StreamingMultiprocessorTest, OneThatIsFurtherAheadIsInAnotherState) {
  launch_last(true);
  sm(0).run_ahead();
  DescribedState ahead;
  DescribedState behind;
  const StateOrigin origin;
  for (auto& [number, into] : {std::pair(0, &ahead), std::pair(1, &behind)}) {
    StateWriter writer(StateWriter::Kind::same_steps, origin, *into);
    sm(number).describe(writer);
    writer.finish();
  }
  EXPECT_NE(ahead.state, behind.state);
  EXPECT_EQ(described(0).state, described(1).state);  // which lets both run ahead
}

/// Everything it waits for, and its agenda, 100 cycles later.
TEST_F(StreamingMultiprocessorTest, MovesAheadAsAWhole) {
  launch_last(false);
  end_cta(0, Cycle(5));
  const DescribedState before = described(0);
  const Period period{Cycles(50)};
  const StateOrigin origin;
  const std::vector<std::int64_t> growth(before.counters.size(), 3);
  StateAdvancer advancer(period, 2, origin, growth);
  sm(0).move_ahead(advancer, period.length * 2);
  machine_.shared.clock.skip(period.length * 2);
  EXPECT_EQ(sm(0).agenda.next(), Cycle(105));
  const DescribedState after = described(0);
  EXPECT_EQ(after.state, before.state);
  std::vector<std::int64_t> more(before.counters);
  for (std::int64_t& counter : more) counter += 6;
  EXPECT_EQ(after.counters, more);
}

}  // namespace
}  // namespace stcsim::test
