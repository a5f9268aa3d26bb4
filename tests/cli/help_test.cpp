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
                         testing::Values("gemm", "gemm --energy", "explain", "run", "import",
                                         "eval", "compare", "record", "check", "sweep", "design",
                                         "fit", "train", "prune", "tta", "tta --curves-only",
                                         "evidence rows", "evidence papers", "list", "list machine",
                                         "list scheme", "list experiment", "page"));

struct FormerName {
  std::vector<std::string> former;
  std::vector<std::string> now;
};

class FormerNameOf : public testing::TestWithParam<FormerName> {};

TEST_P(FormerNameOf, ACommandIsTakenAndTheNameOfTodaySaid) {
  const ProgramResult now = run_stcsim(GetParam().now);
  const ProgramResult former = run_stcsim(GetParam().former);
  EXPECT_EQ(former.exit_code, now.exit_code);
  EXPECT_EQ(former.out, now.out);
  EXPECT_THAT(former.err, StartsWith("stcsim: '" + GetParam().former.front() + "' is called '" +
                                     GetParam().now.front()));
  EXPECT_EQ(former.err.substr(former.err.find('\n') + 1), now.err);
  EXPECT_EQ(run_stcsim({"--help"}).out.find("\n  " + GetParam().former.front() + " "),
            std::string::npos);
}

const std::vector<std::string> kSmallGemm{"--arch", "stc_1024", "--m", "64", "--n", "64", "--k=64"};

std::vector<std::string> and_small_gemm(std::vector<std::string> words) {
  words.insert(words.end(), kSmallGemm.begin(), kSmallGemm.end());
  return words;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, FormerNameOf,
    testing::Values(FormerName{{"validate", "/nowhere.csv"}, {"evidence", "rows", "/nowhere.csv"}},
                    FormerName{{"reproduce"}, {"evidence", "papers"}},
                    FormerName{{"claims", "--help"}, {"evidence", "papers", "--help"}},
                    FormerName{{"curves", "/nowhere.csv"},
                               {"tta", "--curves-only", "/nowhere.csv"}},
                    FormerName{{"config", "show", "quick"}, {"list", "experiment", "quick"}},
                    FormerName{{"report", "/nowhere.json", "-o", "/nowhere/x"},
                               {"page", "/nowhere.json", "-o", "/nowhere/x"}},
                    FormerName{and_small_gemm({"cost"}), and_small_gemm({"gemm", "--energy"})},
                    FormerName{{"cost", "--arch", "a100_nm"}, {"list", "machine", "a100_nm"}},
                    FormerName{{"cost", "--arch=a100_nm"}, {"list", "machine", "a100_nm"}}));

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
