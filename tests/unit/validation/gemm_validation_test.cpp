#include "reports/validation/gemm_validation.hpp"

#include <gtest/gtest.h>

#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

MeasuredGemm gemm(std::int64_t k, Pattern pattern) {
  MeasuredGemm gemm;
  gemm.gpu = "tiny";
  gemm.problem.m = gemm.problem.n = 32;
  gemm.problem.k = k;
  gemm.problem.a_pattern = pattern;
  gemm.measured = {10.0, 5.0, 2.0};
  return gemm;
}

MeasuredGemm in_blocks(std::int64_t rows) {
  MeasuredGemm of = gemm(75, {2, 4});
  of.blocks = {rows, 10};
  return of;
}

/// 75 columns in groups of 10 keep 8 x 4. The tiny machine's sparse tiles have 16 rows.
TEST(GemmValidation, BlocksOfColumnsRunAsAGemmOfThoseKept) {
  const auto rows =
      validate_gemms({in_blocks(16), gemm(32, {2, 4}), gemm(75, kDense), in_blocks(8)},
                     {{"tiny", test::tiny_machine()}}, {});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].simulated.sparse_us, rows[1].simulated.sparse_us);
  EXPECT_EQ(rows[0].simulated.dense_us, rows[2].simulated.dense_us);
  EXPECT_EQ(*rows[0].simulated.speedup, *rows[0].simulated.dense_us / *rows[0].simulated.sparse_us);
  EXPECT_EQ(rows[0].command.find("stcsim gemm --arch tiny --m 32 --n 32 --k 75 "), 0U);
  EXPECT_NE(rows[0].command.find(" && stcsim gemm --arch tiny --m 32 --n 32 --k 32 "),
            std::string::npos);
  EXPECT_EQ(rows[1].command.find("&&"), std::string::npos);
  EXPECT_EQ(rows[3].skipped, "sparse's tiles have more than the 8 rows that share their columns");
  EXPECT_EQ(rows[3].command, "");
  EXPECT_EQ(rows[3].simulated, GemmTimes());
}

TEST(GemmValidation, SaysWhatBecameOfTheTime) {
  const auto rows = validate_gemms({gemm(64, {2, 4})}, {{"tiny", test::tiny_machine()}}, {});
  const ValidationRow& row = rows.front();
  EXPECT_EQ(row.dense_kernel.name.substr(0, 5), "dense");
  EXPECT_EQ(row.sparse_kernel.name, "sparse");
  EXPECT_NE(row.sparse_kernel.bound_by, "");
  EXPECT_NE(row.dense_kernel.waits.find("tensor_core "), std::string::npos);
  EXPECT_EQ(*row.tiles.speedup, *row.tiles.dense_us / *row.tiles.sparse_us);
}

}  // namespace
}  // namespace stcsim
