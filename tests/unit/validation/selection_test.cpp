#include "reports/validation/selection.hpp"

#include <gtest/gtest.h>

#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

ValidationRow gain_row(double measured, double simulated) {
  ValidationRow row = test::dense_row(100, 100);
  row.gemm.problem.a_pattern = {2, 4};
  row.gemm.measured.speedup = measured;
  row.simulated.speedup = simulated;
  return row;
}

/// Errors of 0.25 / 1.25, 0.5 / 2 and 0: the mean is 0.15.
TEST(Selection, IsWhatIsClaimedAndWhatIsGot) {
  const std::vector<ValidationRow> rows{gain_row(1.25, 1.5), gain_row(2, 1.5),
                                        gain_row(1.0625, 1.0625)};
  const std::vector<Selection> all = selections(rows);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].machine, "x");
  EXPECT_EQ(all[0].rows, 3);
  EXPECT_EQ(all[0].sparse, 2) << "1.0625 is no more than gains are off";
  EXPECT_DOUBLE_EQ(all[0].threshold, 0.15);
  EXPECT_DOUBLE_EQ(all[0].claimed, (1.5 + 1.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(all[0].got, (1.25 + 2 + 1) / 3);
  EXPECT_NEAR(all[0].excess(), 4 / 4.25 - 1, 1e-12);
}

TEST(Selection, IsOfScoredRowsOfTwoOfFour) {
  std::vector<ValidationRow> rows{gain_row(1.5, 1.5), gain_row(1.5, 1.5), gain_row(1.5, 1.5)};
  rows[0].gemm.use = RowUse::shown;
  rows[1].gemm.problem.a_pattern = {1, 4};
  rows[2].skipped = "no machine";
  EXPECT_TRUE(selections(rows).empty());
}

}  // namespace
}  // namespace stcsim
