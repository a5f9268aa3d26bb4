#include "models/base/wired.hpp"

#include <string>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

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
