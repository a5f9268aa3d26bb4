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

TEST(Phase, HasItsNamesInPublicationsInAnyCase) {
  for (const char* name : {"Forward", "FPROP", "fprop"}) {
    EXPECT_EQ(phase_from_string(name), Phase::forward) << name;
  }
  for (const char* name : {"dGrad", "backward", "Backward", "Backward (dgrad)"}) {
    EXPECT_EQ(phase_from_string(name), Phase::dgrad) << name;
  }
  for (const char* name : {"WGRAD", "update", "Update (WGrad)"}) {
    EXPECT_EQ(phase_from_string(name), Phase::wgrad) << name;
  }
  for (const Phase phase : kPhases) EXPECT_EQ(phase_from_string(title_of(phase)), phase);
}

TEST(Phase, OtherNamesAreNothing) {
  for (const char* name : {"", "fwd", "forward ", "dgrad)", "other", "inference"}) {
    EXPECT_EQ(phase_from_string(name), std::nullopt) << '\'' << name << '\'';
  }
}

}  // namespace
}  // namespace stcsim
