#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

using std::chrono::seconds;

WholeProgress study(std::size_t number, std::size_t most) {
  return {.unit = "study", .number = number, .most = most};
}

/// The time left takes it that all studies take as long.
TEST(WholeProgress, SaysHowFarTheWholeIs) {
  EXPECT_EQ(whole_line(study(1, 9), 0, seconds(5)), "study 1 of 9");
  EXPECT_EQ(whole_line(study(3, 9), 0, seconds(40)), "study 3 of 9, 2:20 left");
  EXPECT_EQ(whole_line(study(3, 9), 0.5, seconds(50)), "study 3 of 9, 2:10 left");
  EXPECT_EQ(whole_line(study(9, 9), 1, seconds(90)), "study 9 of 9, 0:00 left");
}

}  // namespace
}  // namespace stcsim
