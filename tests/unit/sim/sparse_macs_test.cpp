#include "sim/study/sparse_macs.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

ResultRow gemm(const char* phase, std::int64_t macs, std::int64_t sparse_macs,
               std::int64_t repeat = 1) {
  ResultRow row;
  row.phase = phase;
  row.macs = macs;
  row.sparse_macs = sparse_macs;
  row.repeat = repeat;
  return row;
}

TEST(SparseMacs, OfNothingAreNone) {
  EXPECT_EQ(SparseMacs().shares(), SparseShares{});
}

TEST(SparseMacs, CountRepeatsAndWeighByWork) {
  SparseMacs macs;
  macs.add(gemm("forward", 100, 100, 3));
  macs.add(gemm("forward", 500, 0));
  macs.add(gemm("dgrad", 200, 50));
  macs.add(gemm("other", 0, 0));
  EXPECT_EQ(macs.shares(), (SparseShares{300.0 / 800.0, 50.0 / 200.0, 0.0, 350.0 / 1000.0}));
}

TEST(SparseMacs, InferenceCountsAmongTheGemms) {
  SparseMacs macs;
  macs.add(gemm("inference", 100, 25));
  EXPECT_EQ(macs.shares(), (SparseShares{0, 0, 0, 0.25}));
}

}  // namespace
}  // namespace stcsim
