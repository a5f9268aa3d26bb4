#include "models/base/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "models/accelerator/accelerator.hpp"
#include "tests/support/tiny_machine.hpp"

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

using testing::HasSubstr;

TEST(StatisticNames, AreThoseOfBucketsAndCounters) {
  const std::string names = statistic_names(test::tiny_machine().accelerator);
  EXPECT_THAT(names, HasSubstr("dram busy idle dram_read_bytes(byte) dram_write_bytes(byte)\n"));
  EXPECT_THAT(names, HasSubstr("multipliers busy blocked starved\n"));
}

TEST(StatisticNames, AreTheSameHoweverManySmsThereAre) {
  AcceleratorConfig config = test::tiny_machine().accelerator;
  const std::string names = statistic_names(config);
  config.num_sms = 3;
  EXPECT_EQ(statistic_names(config), names);
}

/// All that a launch tells is there.
TEST(StatisticNames, LeaveNothingOut) {
  const AcceleratorConfig config = test::tiny_machine().accelerator;
  const std::string names = statistic_names(config);
  Accelerator machine(config);
  KernelLaunch launch;
  launch.k_steps = 1;
  launch.tile_m = launch.tile_n = launch.edge_m = launch.edge_n = 16;
  launch.a = launch.b = {1, 16, 16, 16, 16};
  launch.warp.instructions_per_group = 1;
  const LaunchStatistics statistics = *machine.run(launch, {});
  for (const UnitTotals& totals : statistics.units) {
    for (const auto& [bucket, cycles] : totals.buckets) {
      EXPECT_THAT(names, HasSubstr(" " + bucket)) << totals.unit;
    }
    for (const Counter& counter : totals.counters) {
      EXPECT_THAT(names, HasSubstr(" " + counter.name + "(" + counter.unit + ")"));
    }
  }
}

}  // namespace
}  // namespace stcsim
