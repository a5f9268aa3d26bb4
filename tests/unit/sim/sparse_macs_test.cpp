#include <gtest/gtest.h>

#include "sim/study/study_rows.hpp"
#include "tests/support/row_phase.hpp"

namespace stcsim {
namespace {

ResultRow gemm(const char* phase, std::int64_t macs, std::int64_t sparse_macs,
               std::int64_t repeat = 1) {
  ResultRow row;
  row.phase = test::row_phase_named(phase);
  row.macs = macs;
  row.sparse_macs = sparse_macs;
  row.repeat = repeat;
  return row;
}

SparseShares shares_of(const std::vector<ResultRow>& rows) {
  return sum_totals(rows, std::vector<double>(rows.size(), 1.0), 10.0).front().sparse_share;
}

TEST(SparseMacs, OfNothingAreNone) {
  EXPECT_EQ(shares_of({gemm("other", 0, 0)}), SparseShares{});
}

TEST(SparseMacs, CountRepeatsAndWeighByWork) {
  EXPECT_EQ(shares_of({gemm("forward", 100, 100, 3), gemm("forward", 500, 0),
                       gemm("dgrad", 200, 50), gemm("other", 0, 0)}),
            (SparseShares{300.0 / 800.0, 50.0 / 200.0, 0.0, 350.0 / 1000.0}));
}

TEST(SparseMacs, InferenceCountsAmongTheGemms) {
  EXPECT_EQ(shares_of({gemm("inference", 100, 25)}), (SparseShares{0, 0, 0, 0.25}));
}

}  // namespace
}  // namespace stcsim
