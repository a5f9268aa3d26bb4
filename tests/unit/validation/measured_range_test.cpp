#include <gtest/gtest.h>

#include "reports/validation/gemm_rows.hpp"

namespace stcsim {
namespace {

TEST(MeasuredRange, IsWhatTheNoteCallsLeastAndMost) {
  const auto range = measured_range_in("median of 4; least 4.24 (a/0.5.9), most 6.47 (b/0.5.10)");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 4.24);
  EXPECT_EQ(range->second, 6.47);
}

TEST(MeasuredRange, NeedsBothNumbers) {
  EXPECT_FALSE(measured_range_in(""));
  EXPECT_FALSE(measured_range_in("least 4.24"));
  EXPECT_FALSE(measured_range_in("most 4.24"));
  EXPECT_FALSE(measured_range_in("at least one, most of them 5"));
  EXPECT_FALSE(measured_range_in("least 0, most 5"));
  EXPECT_FALSE(measured_range_in("least 1.2.3, most 5"));
}

}  // namespace
}  // namespace stcsim
