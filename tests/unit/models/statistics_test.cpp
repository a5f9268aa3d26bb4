#include "models/base/statistics.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

TEST(StatisticsSum, AddsUpInstancesOfAKind) {
  StatisticsSum sum;
  for (const std::int64_t busy : {3, 4}) {
    sum.unit("port");
    sum.bucket("busy", Cycles(busy));
    sum.bucket("idle", Cycles(10 - busy));
    sum.count("port_bytes", "byte", 100 * busy);
  }
  ASSERT_EQ(sum.totals().size(), 1U);
  EXPECT_EQ(
      sum.totals().front(),
      (UnitTotals{
          "port", 2, {{"busy", Cycles(7)}, {"idle", Cycles(13)}}, {{"port_bytes", "byte", 700}}}));
}

/// Kinds in turn, and told in another order.
TEST(StatisticsSum, KeepsKindsAndNamesApart) {
  StatisticsSum sum;
  sum.unit("a");
  sum.bucket("x", Cycles(1));
  sum.bucket("y", Cycles(2));
  sum.unit("b");
  sum.bucket("x", Cycles(4));
  sum.unit("a");
  sum.bucket("y", Cycles(8));
  sum.bucket("x", Cycles(16));
  sum.bucket("z", Cycles(32));
  ASSERT_EQ(sum.totals().size(), 2U);
  EXPECT_EQ(sum.totals()[0],
            (UnitTotals{"a", 2, {{"x", Cycles(17)}, {"y", Cycles(10)}, {"z", Cycles(32)}}, {}}));
  EXPECT_EQ(sum.totals()[1], (UnitTotals{"b", 1, {{"x", Cycles(4)}}, {}}));
}

TEST(Counters, AreFoundByName) {
  const std::vector<Counter> counters{{"a_bytes", "byte", 1}, {"b_bytes", "byte", 2}};
  EXPECT_EQ(count_of(counters, "b_bytes"), 2);
  EXPECT_THROW((void)count_of(counters, "c_bytes"), SimulationError);
}

}  // namespace
}  // namespace stcsim
