#include <gtest/gtest.h>

#include "tests/cli/tiny_sweep.hpp"

namespace stcsim {
namespace {

/// A hundred times in all, five of them in each sweep.
TEST(SweepSoak, SurvivesBeingKilledAHundredTimes) {
  const TinySweep undisturbed(kManyGemms);
  ASSERT_EQ(undisturbed.run("run").exit_code, 0);
  const std::string expected = undisturbed.run("export").out;
  for (int sweep = 0; sweep < 20; ++sweep) {
    EXPECT_EQ(run_killed(5, 1 + sweep % 3, static_cast<std::uint64_t>(sweep)), expected);
  }
}

}  // namespace
}  // namespace stcsim
