#include "sim/run/launch_result.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/counters.hpp"

namespace stcsim {
namespace {

LaunchStatistics statistics(std::int64_t cycles) {
  LaunchStatistics one;
  one.cycles = Cycles(cycles);
  const auto bytes = test::traffic({10, 11, 12, 13, 14, 15, 16, 17});
  one.units = {{"tensor_core",
                2,
                {{"busy", Cycles(cycles)}, {"idle", Cycles(cycles)}},
                {{"instructions", "instruction", 3}}},
               {"dram", 1, {{"busy", Cycles(1)}, {"idle", Cycles(cycles - 1)}}, {}},
               {"l2_cache", 1, {}, bytes}};
  one.events = 18;
  return one;
}

TEST(LaunchResult, CarriesEveryCounter) {
  const LaunchResult result = to_result(statistics(100));
  EXPECT_EQ(result.cycles, 100);
  EXPECT_EQ(result.mma_instructions, 3);
  EXPECT_EQ(result.events, 18);
  EXPECT_EQ(result.counters, test::traffic({10, 11, 12, 13, 14, 15, 16, 17}));
  ASSERT_EQ(result.units.size(), 2U);
  EXPECT_EQ(result.units[0], (UnitReport{"tensor_core", 2, {{"busy", 100}, {"idle", 100}}}));
}

/// The reduction after a split-K GEMM adds to everything but the matrix instructions.
TEST(LaunchResult, AppendingALaunchAddsUp) {
  LaunchResult result = to_result(statistics(100));
  result.kernel.name = "first";
  append_launch(result, statistics(50));
  EXPECT_EQ(result.cycles, 150);
  EXPECT_EQ(result.mma_instructions, 3);
  EXPECT_EQ(result.events, 36);
  EXPECT_EQ(result.counters, test::traffic({20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(result.units[0], (UnitReport{"tensor_core", 2, {{"busy", 150}, {"idle", 150}}}));
  EXPECT_EQ(result.units[1], (UnitReport{"dram", 1, {{"busy", 2}, {"idle", 148}}}));
  EXPECT_EQ(result.kernel.name, "first");
}

/// What comes first in outputs comes first, whichever unit counts it.
TEST(LaunchResult, CarriesWhateverElseIsCounted) {
  LaunchStatistics one = statistics(100);
  one.units.front().counters.push_back({"refills", "refill", 7});
  LaunchResult result = to_result(one);
  EXPECT_EQ(result.counters.back(), (Counter{"refills", "refill", 7}));
  EXPECT_EQ(result.count("shared_memory_read_bytes"), 10);
  EXPECT_THROW((void)result.count("refilles"), SimulationError);
  append_launch(result, one);
  EXPECT_EQ(result.count("refills"), 14);
}

TEST(LaunchResult, AppendingAResultAddsTheMultiplicationsToo) {
  LaunchResult result = to_result(statistics(100));
  result.multiplier_macs = 5;
  result.peak_macs = 7;
  LaunchResult more = result;
  append_result(result, more);
  EXPECT_EQ(result.multiplier_macs, 10);
  EXPECT_EQ(result.peak_macs, 14);
  EXPECT_EQ(result.mma_instructions, 6);
}

}  // namespace
}  // namespace stcsim
