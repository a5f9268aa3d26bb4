#include "common/phase.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

TEST(Phase, NamesGoBothWays) {
  EXPECT_EQ(to_string(Phase::forward), "forward");
  EXPECT_EQ(to_string(Phase::dgrad), "dgrad");
  EXPECT_EQ(to_string(Phase::wgrad), "wgrad");
  for (const Phase phase : kPhases) EXPECT_EQ(phase_from_string(to_string(phase)), phase);
}

TEST(Phase, OtherNamesAreNothing) {
  for (const char* name : {"", "Forward", "fwd", "forward ", "other"}) {
    EXPECT_EQ(phase_from_string(name), std::nullopt) << '\'' << name << '\'';
  }
}

}  // namespace
}  // namespace stcsim
