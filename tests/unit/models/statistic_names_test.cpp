#include "models/accelerator/statistic_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/accelerator/accelerator.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

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
