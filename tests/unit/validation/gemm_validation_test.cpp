#include <gtest/gtest.h>

#include "reports/validation/gemm_run.hpp"
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

/// Its sparse tiles have 16 rows, and gather columns.
MachineConfig gathering_machine() {
  MachineConfig machine = test::tiny_machine();
  for (KernelConfig& kernel : machine.kernels) kernel.column_index_bytes = kernel.sparse ? 4 : 0;
  return machine;
}

/// 75 columns in groups of 10 keep 8 x 4, and their 32 indices are waited for.
TEST(GemmValidation, BlocksOfColumnsRunAsTheyAreSelected) {
  const auto rows = validate_gemms(
      {gemm(75, {2, 10, 1, 0, 16}), gemm(32, {2, 4}), gemm(75, kDense), gemm(75, {2, 10, 1, 0, 8})},
      {{"tiny", gathering_machine()}}, {});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_GT(*rows[0].simulated.sparse_us, *rows[1].simulated.sparse_us);
  EXPECT_LT(*rows[0].simulated.sparse_us, *rows[0].simulated.dense_us);
  EXPECT_EQ(rows[0].roofline.sparse_us, rows[1].roofline.sparse_us);
  EXPECT_EQ(rows[0].tiles.sparse_us, rows[1].tiles.sparse_us);
  EXPECT_EQ(rows[0].simulated.dense_us, rows[2].simulated.dense_us);
  EXPECT_EQ(*rows[0].simulated.speedup, *rows[0].simulated.dense_us / *rows[0].simulated.sparse_us);
  EXPECT_EQ(rows[0].command,
            "stcsim gemm --arch tiny --m 32 --n 32 --k 75 --dtype fp16 --sparsity 16:2:10 --stack "
            "best --method events");
  EXPECT_EQ(rows[3].skipped,
            "no kernel of tiny gathers columns in tiles whose rows divide 8; 2:10 does not fit 2:4 "
            "hardware");
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
