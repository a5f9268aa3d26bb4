#include <gtest/gtest.h>

#include "reports/validation/gemm_run.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

MeasuredGemm named(const std::string& timing, const std::string& stack) {
  MeasuredGemm gemm;
  gemm.where = {"t.csv", 7, 1};
  gemm.gpu = "X";
  gemm.timing = timing;
  gemm.stack = stack;
  return gemm;
}

std::string fault_of(const MeasuredGemm& gemm) {
  try {
    check_names(gemm, {{"X", test::tiny_machine()}}, {{"loop", {}}, {"events", {}}});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(RowChecks, TimingsAndStacksMustBeThere) {
  EXPECT_EQ(fault_of(named("loop", "")), "");
  EXPECT_EQ(fault_of(named("lop", "")),
            "t.csv:7:1: error: timing is 'lop', must be empty or one of events, loop");
  EXPECT_NE(fault_of(named("loop", "z")).find("t.csv:7:1: error: stack is 'z', must be empty"),
            std::string::npos);
  MeasuredGemm elsewhere = named("loop", "z");
  elsewhere.gpu = "Y";
  EXPECT_EQ(fault_of(elsewhere), "");
}

TEST(RowChecks, RightRowsAreKeptInTheirOrder) {
  std::vector<int> rows{1, 2, 3, 4};
  std::vector<ConfigError> bad_rows;
  keep_right(rows, bad_rows, [](int row) {
    if (row % 2 == 0) throw ConfigError("even " + std::to_string(row));
  });
  EXPECT_EQ(rows, (std::vector<int>{1, 3}));
  ASSERT_EQ(bad_rows.size(), 2U);
  EXPECT_STREQ(bad_rows[1].what(), "error: even 4");
}

}  // namespace
}  // namespace stcsim
