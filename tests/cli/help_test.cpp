#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HelpOf : public testing::TestWithParam<const char*> {};

TEST_P(HelpOf, ACommandIsTheSameHoweverItIsAskedFor) {
  const std::string command = GetParam();
  const ProgramResult help = run_stcsim({"help", command});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, StartsWith("Usage: stcsim " + command + " "));
  EXPECT_EQ(run_stcsim({command, "--help"}).out, help.out);
  EXPECT_EQ(run_stcsim({command, "-h"}).out, help.out);
  EXPECT_EQ(run_stcsim({command, "--no-such-option", "--help"}).out, help.out);
  EXPECT_THAT(run_stcsim({"--help"}).out, HasSubstr("\n  " + command + " "));
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpOf,
                         testing::Values("gemm", "run", "list", "config", "record", "check",
                                         "validate", "prune", "train", "curves", "tta", "claims",
                                         "sweep", "design", "report"));

TEST(Help, OfTheProgramIsTheSameHoweverItIsAskedFor) {
  const ProgramResult help = run_stcsim({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, StartsWith("Usage: stcsim COMMAND "));
  EXPECT_EQ(run_stcsim({"help"}).out, help.out);
  EXPECT_EQ(run_stcsim({"-h"}).out, help.out);
  EXPECT_EQ(run_stcsim({"help", "--help"}).out, help.out);
}

TEST(Help, VersionIsOneLine) {
  EXPECT_EQ(run_stcsim({"--version"}).out, std::string("stcsim ") + STCSIM_VERSION + "\n");
}

TEST(Help, AfterTwoDashesIsAPlainArgument) {
  const ProgramResult result = run_stcsim({"run", "--", "--help"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("stcsim run: error: unknown experiment '--help'"));
}

}  // namespace
}  // namespace stcsim
