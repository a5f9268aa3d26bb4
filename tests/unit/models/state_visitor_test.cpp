#include "models/base/state_visitor.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/inbox.hpp"
#include "models/base/messages.hpp"

namespace stcsim {
namespace {

enum class Colour : std::uint8_t { red, green };

/// Has something of everything that is described.
struct Part {
  Cycle past;
  Cycle due;
  Cycle maybe = kNever;
  Colour colour = Colour::red;
  bool is_on = false;
  Cycles length;
  std::int64_t step = 0;
  std::int64_t cta = 0;
  std::int64_t fill = 0;
  std::int64_t bytes = 0;
  Cycles busy;
  std::vector<std::int64_t> numbers;
  Inbox<std::int64_t> inbox;

  template <class Visitor>
  void visit_state(Visitor& visitor) {
    visitor.time(past);
    visitor.deadline(due);
    visit_time(visitor, maybe);
    visitor.value(colour);
    visitor.value(is_on);
    visitor.value(length);
    visitor.step(step, 0, 0);
    visitor.cta(cta);
    visitor.fill(fill);
    visitor.counter(bytes);
    visitor.counter(busy);
    visit_size(visitor, numbers);
    for (std::int64_t& number : numbers) visitor.value(number);
    inbox.visit_state(visitor, [&](std::int64_t& message) { visitor.value(message); });
  }
};

Part some_part() {
  Part part;
  part.past = Cycle(90);
  part.due = Cycle(130);
  part.maybe = Cycle(140);
  part.colour = Colour::green;
  part.is_on = true;
  part.length = Cycles(5);
  part.step = 6;
  part.cta = 7;
  part.fill = 8;
  part.bytes = 9;
  part.busy = Cycles(10);
  part.numbers = {11, 12};
  part.inbox.push(Cycle(150), 3, 13);
  part.inbox.push(Cycle(160), 4, 14);
  return part;
}

DescribedState described(Part& part, StateWriter::Kind kind, Cycle now) {
  StateOrigin origin;
  origin.now = now;
  origin.next_cta = origin.next_fill = 2;
  origin.slot_steps = {4};
  DescribedState state;
  StateWriter writer(kind, origin, state);
  part.visit_state(writer);
  writer.finish();
  return state;
}

TEST(StateReader, ReadsBackWhatWasWritten) {
  Part part = some_part();
  const DescribedState state = described(part, StateWriter::Kind::complete, Cycle(100));
  Part copy;
  StateReader reader(state, Cycle(100));
  EXPECT_FALSE(reader.at_end());
  copy.visit_state(reader);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(copy.past, Cycle(90));
  EXPECT_EQ(copy.due, Cycle(130));
  EXPECT_EQ(copy.maybe, Cycle(140));
  EXPECT_EQ(copy.colour, Colour::green);
  EXPECT_TRUE(copy.is_on);
  EXPECT_EQ(copy.length, Cycles(5));
  EXPECT_EQ(copy.step, 6);
  EXPECT_EQ(copy.cta, 7);
  EXPECT_EQ(copy.fill, 8);
  EXPECT_EQ(copy.bytes, 9);
  EXPECT_EQ(copy.busy, Cycles(10));
  EXPECT_EQ(copy.numbers, (std::vector<std::int64_t>{11, 12}));
  EXPECT_EQ(copy.inbox.next_arrival(), Cycle(150));
  EXPECT_EQ(copy.inbox.pop(), 13);
  EXPECT_EQ(copy.inbox.next_arrival(), Cycle(160));
  EXPECT_EQ(copy.inbox.pop(), 14);
  EXPECT_TRUE(copy.inbox.empty());
}

/// Of a deadline that is over only that is known.
TEST(StateReader, ADeadlineThatIsOverIsNow) {
  Part part = some_part();
  const DescribedState state = described(part, StateWriter::Kind::complete, Cycle(200));
  Part copy;
  StateReader reader(state, Cycle(200));
  copy.visit_state(reader);
  EXPECT_EQ(copy.due, Cycle(200));
  EXPECT_EQ(copy.past, Cycle(90));
}

/// What recurs is relative to now, and to the CTAs or the k-steps at work.
TEST(StateWriter, DescribesWhatRecursAlike) {
  using Kind = StateWriter::Kind;
  Part part = some_part();
  const std::vector<std::int64_t> from_steps = described(part, Kind::same_ctas, Cycle(100)).state;
  EXPECT_EQ(std::vector(from_steps.begin(), from_steps.begin() + 10),
            (std::vector<std::int64_t>{-10, 30, 1, 40, 1, 1, 5, 6 - 4, 7, 8 - 2}));
  const std::vector<std::int64_t> from_ctas = described(part, Kind::same_steps, Cycle(100)).state;
  EXPECT_EQ(std::vector(from_ctas.begin() + 7, from_ctas.begin() + 10),
            (std::vector<std::int64_t>{6, 7 - 2, 8 - 2}));
  EXPECT_EQ(described(part, Kind::same_steps, Cycle(100)).counters,
            (std::vector<std::int64_t>{9, 10}));
}

TEST(CounterAdder, AddsToCountersAndToNothingElse) {
  Part part = some_part();
  const std::vector<std::int64_t> more{100, -3};
  CounterAdder adder(more);
  part.visit_state(adder);
  EXPECT_EQ(part.bytes, 109);
  EXPECT_EQ(part.busy, Cycles(7));
  EXPECT_EQ(described(part, StateWriter::Kind::complete, Cycle(100)).state, [] {
    Part same = some_part();
    return described(same, StateWriter::Kind::complete, Cycle(100)).state;
  }());
}

}  // namespace
}  // namespace stcsim
