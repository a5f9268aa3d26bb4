#include <algorithm>

#include <gtest/gtest.h>

#include "reports/validation/row_tables.hpp"
#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

using test::dense_row;

ValidationRow on_kernel(double simulated_us, const std::string& kernel) {
  ValidationRow row = dense_row(100, simulated_us);
  row.dense_kernel = {kernel, "dram", "dram busy 90 %"};
  return row;
}

TEST(WorstRows, AreTheLargestErrorsWithTheirKernels) {
  std::vector<ValidationRow> rows{on_kernel(110, "k1"), on_kernel(150, "k2"), on_kernel(70, "k3")};
  rows[0].gemm.measured.speedup = 2;
  rows[0].simulated.speedup = 1;
  rows[0].sparse_kernel = {"s1", "launch", ""};
  rows[2].gemm.where.file = "u.csv";
  rows[2].gemm.where.line = 7;
  const std::string head =
      "| line | gpu | M×N×K | quantity | measured | simulated | error | kernel | bound by |\n"
      "|---:|---|---|---|---:|---:|---:|---|---|\n";
  EXPECT_EQ(
      worst_rows_table(rows).to_markdown(),
      head +
          "| t.csv:2 | X | 64×64×64 | speedup | 2.00x | 1.00x | -50.0 % | k1 / s1 | dram / "
          "launch |\n"
          "| t.csv:2 | X | 64×64×64 | dense time | 100 us | 150 us | +50.0 % | k2 | dram |\n"
          "| u.csv:7 | X | 64×64×64 | dense time | 100 us | 70.0 us | -30.0 % | k3 | dram |\n"
          "| t.csv:2 | X | 64×64×64 | dense time | 100 us | 110 us | +10.0 % | k1 | dram |\n");
}

std::size_t lines_of(const Table& table) {
  const std::string text = table.to_markdown();
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 2;
}

TEST(WorstRows, AreTen) {
  EXPECT_EQ(lines_of(worst_rows_table(std::vector<ValidationRow>(11, dense_row(2, 1)))), 10U);
}

/// Rows that are not scored do not count; of a machine and type, neither do small ones and gains.
TEST(WorstRows, OfAMachineAreThree) {
  std::vector<ValidationRow> rows{on_kernel(110, "k1"), on_kernel(120, "k2"), on_kernel(130, "k3"),
                                  on_kernel(140, "k4"), on_kernel(900, "k5"), dense_row(19, 80)};
  rows[4].gemm.use = RowUse::shown;
  rows[0].gemm.measured.speedup = 2;
  rows[0].simulated.speedup = 1;
  EXPECT_EQ(lines_of(worst_rows_table(rows)), 6U);
  const Table table = worst_rows_by_machine(rows);
  EXPECT_EQ(lines_of(table), 3U);
  const std::string text = table.to_markdown();
  EXPECT_NE(text.find("| x | fp16 | 2 | 64×64×64 | dense time | 100 us | 140 us | +40.0 % | k4 | "
                      "dram | dram busy 90 % |\n"),
            std::string::npos);
  EXPECT_EQ(text.find("k1"), std::string::npos);
  rows[0].gemm.problem.dtype = DataType::int8;
  EXPECT_EQ(lines_of(worst_rows_by_machine(rows)), 4U);
}

}  // namespace
}  // namespace stcsim
