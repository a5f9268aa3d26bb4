#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/cli/tiny_sweep.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;

ProgramResult fit_table(const std::string& table, const std::vector<std::string>& more = {}) {
  const TinySweep tiny;
  write_text(tiny.path("times.csv"), table);
  std::vector<std::string> words{"fit",      tiny.path("times.csv"),
                                 "--from",   tiny.path("small.yaml"),
                                 "--output", tiny.path("mine.yaml")};
  words.insert(words.end(), more.begin(), more.end());
  return run_stcsim(words);
}

void expect_refused(const std::string& table, const std::string& why) {
  const ProgramResult result = fit_table(table);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(why));
  EXPECT_EQ(result.out, "");
}

TEST(Fit, RefusesTooFewRows) {
  expect_refused("m,n,k,time_us\n64,64,64,3\n64,64,128,3\n",
                 "has 2 rows, 10 keys are fitted: must be 20 rows at least");
}

TEST(Fit, NamesThePlaceOfWhatIsWrong) {
  std::string rows;
  for (int at = 0; at < 19; ++at) rows += "64,64,64,3\n";
  expect_refused("m,n,k,time_us\n" + rows + "64,64,64,-3\n", "times.csv:21:10: error: time_us");
  expect_refused("m,n,k,time_us\n0,64,64,3\n" + rows, "times.csv:2:1: error: m is '0'");
  expect_refused("m,n,time_us\n64,64,3\n", "'k'");
}

}  // namespace
}  // namespace stcsim
