#include "models/base/inbox.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/unit_kind.hpp"

namespace stcsim {
namespace {

struct Letter {
  std::int64_t at;
  std::int64_t sender;
  std::int64_t number;  // of its sender, ascending

  friend auto operator<=>(const Letter&, const Letter&) = default;
};

TEST(Inbox, IsEmptyAtFirst) {
  Inbox<int> inbox;
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.next_arrival(), kNever);
  EXPECT_FALSE(inbox.has_message(Cycle(1000)));
}

TEST(Inbox, AMessageIsThereFromItsArrivalOn) {
  Inbox<int> inbox;
  inbox.push(Cycle(8), 0, 42);
  EXPECT_EQ(inbox.next_arrival(), Cycle(8));
  EXPECT_FALSE(inbox.has_message(Cycle(7)));
  EXPECT_TRUE(inbox.has_message(Cycle(8)));
  EXPECT_TRUE(inbox.has_message(Cycle(9)));
  EXPECT_EQ(inbox.pop(), 42);
  EXPECT_TRUE(inbox.empty());
}

TEST(Inbox, ClearThrowsMessagesAway) {
  Inbox<int> inbox;
  inbox.push(Cycle(1), 0, 1);
  inbox.clear();
  EXPECT_TRUE(inbox.empty());
}

std::vector<Letter> take_all(Inbox<Letter>& inbox) {
  std::vector<Letter> taken;
  while (!inbox.empty()) taken.push_back(inbox.pop());
  return taken;
}

/// Whatever the order in which the senders are evaluated: arrival, then sender, then the sender's
/// own order. (One sender's letters of a cycle are pushed in order; nothing else is given.)
TEST(Inbox, OrdersByArrivalSenderAndSequence) {
  constexpr unsigned kSeed = 20240611;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    std::vector<Letter> letters;
    for (std::int64_t index = 0; index < 24; ++index) {
      letters.push_back(
          {static_cast<std::int64_t>(random() % 4), static_cast<std::int64_t>(random() % 3), 0});
    }
    Inbox<Letter> inbox;
    std::int64_t number = 0;
    for (Letter& letter : letters) {
      letter.number = number++;
      inbox.push(Cycle(letter.at), letter.sender, letter);
    }
    std::sort(letters.begin(), letters.end());
    EXPECT_EQ(take_all(inbox), letters) << "round " << round << ", seed " << kSeed;
  }
}

TEST(Inbox, FindsTheNextOfSomeMessages) {
  Inbox<int> inbox;
  const auto is_even = [](int message) { return message % 2 == 0; };
  EXPECT_EQ(inbox.next_arrival_if(is_even), kNever);
  inbox.push(Cycle(3), 0, 1);
  EXPECT_EQ(inbox.next_arrival_if(is_even), kNever);
  inbox.push(Cycle(9), 0, 2);
  inbox.push(Cycle(7), 0, 4);
  inbox.push(Cycle(5), 0, 5);
  EXPECT_EQ(inbox.next_arrival_if(is_even), Cycle(7));
  EXPECT_EQ(inbox.next_arrival(), Cycle(3));
}

/// Messages pushed between pops are ordered with those that are still there.
TEST(Inbox, KeepsTheOrderAcrossPops) {
  Inbox<int> inbox;
  inbox.push(Cycle(5), 1, 51);
  inbox.push(Cycle(3), 1, 31);
  EXPECT_EQ(inbox.pop(), 31);
  inbox.push(Cycle(5), 1, 52);
  inbox.push(Cycle(5), 0, 50);
  inbox.push(Cycle(4), 9, 49);
  EXPECT_EQ(inbox.pop(), 49);
  EXPECT_EQ(inbox.pop(), 50);
  EXPECT_EQ(inbox.pop(), 51);
  EXPECT_EQ(inbox.pop(), 52);
}

struct Unit {
  Wired<std::string> place;
  int state = 0;
};

Unit unit(const std::string& place, int state) {
  Unit made;
  made.place = place;
  made.state = state;
  return made;
}

TEST(Wired, StaysWhereItIsWhenTheUnitTakesOverAnothersState) {
  Unit first = unit("first", 1);
  const Unit second = unit("second", 2);
  first = second;
  EXPECT_EQ(first.place.get(), "first");
  EXPECT_EQ(first.state, 2);
}

TEST(Wired, CanBeSetAnew) {
  Unit first = unit("first", 1);
  first.place = "other";
  EXPECT_EQ(first.place.get(), "other");
  first.place.get() += "s";
  EXPECT_EQ(static_cast<const std::string&>(first.place), "others");
}

TEST(Wired, IsCopiedWithANewUnit) {
  const Unit first = unit("first", 1);
  const Unit copy(first);  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.place.get(), "first");
}

}  // namespace
}  // namespace stcsim
