#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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
  std::istringstream text(command);
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  const auto with = [&](std::vector<std::string> before, const std::vector<std::string>& behind) {
    before.insert(before.end(), words.begin(), words.end());
    before.insert(before.end(), behind.begin(), behind.end());
    return run_stcsim(before);
  };
  const ProgramResult help = with({"help"}, {});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, StartsWith("Usage: stcsim " + command + " "));
  EXPECT_EQ(with({}, {"--help"}).out, help.out);
  EXPECT_EQ(with({}, {"-h"}).out, help.out);
  EXPECT_EQ(with({}, {"--no-such-option", "--help"}).out, help.out);
  EXPECT_THAT(run_stcsim({"--help"}).out, HasSubstr("\n  " + command + " "));
}

INSTANTIATE_TEST_SUITE_P(Commands, HelpOf,
                         testing::Values("gemm", "gemm --energy", "explain", "run", "advise",
                                         "import", "eval", "compare", "record", "check", "sweep",
                                         "design", "fit", "train", "prune", "tta",
                                         "tta --curves-only", "evidence rows", "evidence trace",
                                         "evidence papers", "list", "list machine", "list scheme",
                                         "list experiment", "page"));

TEST(Help, OfTheProgramIsTheSameHoweverItIsAskedFor) {
  const ProgramResult help = run_stcsim({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, StartsWith("Usage: stcsim COMMAND "));
  EXPECT_EQ(run_stcsim({"help"}).out, help.out);
  EXPECT_EQ(run_stcsim({"-h"}).out, help.out);
  EXPECT_EQ(run_stcsim({"help", "--help"}).out, help.out);
}

TEST(Help, VersionIsOneLine) {
  for (const std::string word : {"--version", "version"}) {
    EXPECT_EQ(run_stcsim({word}).out, std::string("stcsim ") + STCSIM_VERSION + "\n");
  }
}

TEST(Help, AfterTwoDashesIsAPlainArgument) {
  const ProgramResult result = run_stcsim({"run", "--", "--help"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("stcsim run: error: unknown experiment '--help'"));
}

}  // namespace
}  // namespace stcsim
