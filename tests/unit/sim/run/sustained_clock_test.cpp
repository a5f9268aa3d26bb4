#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/machine_runner.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// 1000 MHz, 100 W, of which 20 W are idle.
MachineConfig limited_machine() {
  MachineConfig machine = test::tiny_machine();
  machine.clock_mhz = 1000;
  machine.power.limit_watts = 100;
  machine.power.idle_watts = 20;
  machine.power.mac_energy = {{DataType::fp16, 2.0}, {DataType::int8, 1.0}};
  machine.power.shared_memory_pj_per_byte = 1.0;
  machine.power.dram_pj_per_byte = 10.0;
  machine.power.voltage_floor = 1.0;
  machine.power.clock_step_mhz = 1;
  machine.power.zero_operand_share = 0.5;
  return machine;
}

/// A millisecond at 1000 MHz in which MACs take 60 W, shared memory 30 W and DRAM 10 W.
constexpr std::int64_t kCycles = 1'000'000;

LaunchResult busy_launch() {
  LaunchResult launch;
  launch.cycles = kCycles;
  launch.multiplier_macs = 30'000'000'000;
  launch.counters = {{"shared_memory_read_bytes", "byte", 20'000'000'000},
                     {"shared_memory_write_bytes", "byte", 10'000'000'000},
                     {"l2_read_bytes", "byte", 600'000'000},
                     {"l2_write_bytes", "byte", 400'000'000},
                     {"dram_read_bytes", "byte", 600'000'000},
                     {"dram_write_bytes", "byte", 400'000'000}};
  return launch;
}

TEST(BoardWatts, AreWhatEnergiesAddUpTo) {
  const MachineConfig machine = limited_machine();
  EXPECT_NEAR(board_watts(machine, DataType::fp16, busy_launch(), 1000), 20 + 60 + 30 + 10, 1e-9);
  EXPECT_NEAR(board_watts(machine, DataType::int8, busy_launch(), 1000), 20 + 30 + 30 + 10, 1e-9);
  EXPECT_NEAR(board_watts(machine, DataType::fp16, busy_launch(), 1000, OperandValues::zeros),
              20 + 30 + 30 + 10, 1e-9);
  EXPECT_NEAR(board_watts(machine, DataType::fp16, busy_launch(), 500), 20 + 50, 1e-9);
}

TEST(BoardWatts, OfTheCoresFallWithTheSquareOfTheVoltage) {
  MachineConfig machine = limited_machine();
  machine.power.voltage_floor = 0.5;
  EXPECT_NEAR(board_watts(machine, DataType::fp16, busy_launch(), 500), 20 + (45 * 0.75 * 0.75) + 5,
              1e-9);
}

/// 80 W above idle of the 100 W that full clock takes.
TEST(SustainedClock, IsTheHighestThatTheBoardAffords) {
  MachineConfig machine = limited_machine();
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch()), 800);
  machine.power.clock_step_mhz = 15;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch()), 795);
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::int8, busy_launch()), 1000);
  machine.power.limit_watts = 0;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch()), 1000);
  machine.power.limit_watts = 10;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch()), 15);
}

/// Ten launches last 10 ms at full clock: 0.2 J are 20 W more.
TEST(SustainedClock, OfAShortLoadIsHigher) {
  MachineConfig machine = limited_machine();
  machine.power.burst_joules = 0.1;
  LaunchConditions conditions;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch(), conditions), 800);
  conditions.launches = 10;
  EXPECT_NEAR(sustained_clock_mhz(machine, DataType::fp16, busy_launch(), conditions), 888, 1);
  machine.power.burst_joules = 0.2;
  EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch(), conditions), 1000);
}

/// At a share f of full clock a load of n milliseconds of work draws 20 + 100 f of 100 + 100 f / n
/// watts: f = 0.8 n / (n - 1).
TEST(SustainedClock, OfAShortLoadIsTheClosedForm) {
  MachineConfig machine = limited_machine();
  machine.power.burst_joules = 0.1;
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 1000), 100);
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 1000, 4), 125);
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 500, 4), 112.5);
  for (const std::int64_t n : {3, 4, 7, 8, 10, 20, 333, 100000}) {
    LaunchConditions conditions;
    conditions.launches = n;
    const double clock =
        std::min(1000.0, std::floor(800.0 * static_cast<double>(n) / static_cast<double>(n - 1)));
    EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch(), conditions), clock) << n;
  }
}

/// Twice the limit for 20 ms: a load of n milliseconds at most as long, at a share f of full clock,
/// has 200 W for 100 that full clock takes; in the mean of a longer one, 100 + 100 * 20 f / n of 20
/// + 100 f watts: f = 0.8 n / (n - 20).
TEST(SustainedClock, FallsWhereTheSlowLimiterHolds) {
  MachineConfig machine = limited_machine();
  machine.power.excursion_share = 2;
  machine.power.excursion_ms = 20;
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 1000), 100);
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 1000, 20), 200);
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 1000, 40), 150);
  EXPECT_DOUBLE_EQ(allowed_watts(machine, kCycles, 500, 40), 125);
  for (const std::int64_t n : {1, 20, 101, 121, 200, 1000, 100000}) {
    LaunchConditions conditions;
    conditions.launches = n;
    const double clock =
        n <= 100 ? 1000 : std::floor(800.0 * static_cast<double>(n) / static_cast<double>(n - 20));
    EXPECT_EQ(sustained_clock_mhz(machine, DataType::fp16, busy_launch(), conditions),
              std::min(1000.0, clock))
        << n;
  }
}

/// 120 W at 1000 MHz; 0.9 of the limit lets 700 MHz through: (90 - 20) / 100. A microsecond of 1000
/// runs at full clock, and 999 at 700 MHz.
TEST(HoldBack, StretchesWhatTheRegulatorSlowsDown) {
  MachineConfig machine = limited_machine();
  machine.power.surge_share = 0.9;
  machine.power.surge_us = 1;
  LaunchResult launch = busy_launch();
  launch.peak_macs = 2 * kCycles;
  launch.units = {{"tensor_core", 4, {{"busy", 3 * kCycles}, {"idle", kCycles}}}};
  launch.sampled = SampledPart{kCycles, 2 * kCycles, 1, 2};
  hold_back(machine, DataType::fp16, 1000, launch);
  const std::int64_t added = std::llround(999'000 * (1000.0 / 700.0 - 1.0));
  EXPECT_EQ(launch.cycles, kCycles + added);
  EXPECT_EQ(launch.peak_macs, 2 * (kCycles + added));
  EXPECT_EQ(launch.sampled->cycles_low, kCycles + added);
  EXPECT_EQ(launch.sampled->cycles_high, std::llround(2e6 + 2 * 999'000 * (1000.0 / 700.0 - 1.0)));
  const std::vector<std::pair<std::string, std::int64_t>> buckets{
      {"busy", 3 * kCycles}, {"idle", kCycles}, {"throttled", 4 * added}};
  EXPECT_EQ(launch.units.front().buckets, buckets);
}

TEST(HoldBack, LeavesAloneWhatIsShortDrawsLittleOrRunsSlowly) {
  MachineConfig machine = limited_machine();
  const auto held = [&](double share, double us, DataType dtype, double clock_mhz) {
    machine.power.surge_share = share;
    machine.power.surge_us = us;
    LaunchResult launch = busy_launch();
    hold_back(machine, dtype, clock_mhz, launch);
    return launch;
  };
  EXPECT_EQ(held(0, 0, DataType::fp16, 1000), busy_launch());
  EXPECT_EQ(held(0.9, 1000, DataType::fp16, 1000), busy_launch());
  EXPECT_NE(held(0.9, 999, DataType::fp16, 1000), busy_launch());
  EXPECT_EQ(held(0.9, 0, DataType::int8, 1000), busy_launch());
  EXPECT_EQ(held(1.2, 0, DataType::fp16, 1000), busy_launch());
  EXPECT_NE(held(1.19, 0, DataType::fp16, 1000), busy_launch());
  EXPECT_EQ(held(0.9, 0, DataType::fp16, 700), busy_launch());
}

/// As their tables say: every number makes the clock higher or lower.
TEST(SustainedClock, FollowsEveryNumber) {
  struct Change {
    std::string name;
    std::function<void(PowerConfig&)> more;
    bool is_faster;
  };
  const std::vector<Change> changes{
      {"limit", [](PowerConfig& power) { power.limit_watts *= 1.1; }, true},
      {"idle", [](PowerConfig& power) { power.idle_watts *= 2; }, false},
      {"MAC", [](PowerConfig& power) { power.mac_energy[0].pj *= 2; }, false},
      {"shared memory", [](PowerConfig& power) { power.shared_memory_pj_per_byte *= 2; }, false},
      {"DRAM", [](PowerConfig& power) { power.dram_pj_per_byte *= 2; }, false},
      {"voltage", [](PowerConfig& power) { power.voltage_floor /= 2; }, true},
      {"step", [](PowerConfig& power) { power.clock_step_mhz = 300; }, false}};
  const MachineConfig machine = limited_machine();
  const double before = sustained_clock_mhz(machine, DataType::fp16, busy_launch());
  for (const Change& change : changes) {
    MachineConfig other = machine;
    change.more(other.power);
    const double now = sustained_clock_mhz(other, DataType::fp16, busy_launch());
    EXPECT_NE(now, before) << change.name;
    EXPECT_EQ(now > before, change.is_faster) << change.name;
  }
}

/// DRAM and launches keep their time, the SMs' cycles stay.
TEST(AtClock, DramAndLaunchesTakeAsLongAsBefore) {
  MachineConfig machine = limited_machine();
  machine.accelerator.cta_scheduler.launch_cycles = 2000;
  machine.accelerator.dram.bytes_per_clk = 100;
  machine.accelerator.dram.latency_cycles = 300;
  const MachineConfig half = at_clock(machine, 500);
  EXPECT_EQ(half.clock_mhz, 500);
  EXPECT_EQ(half.accelerator.cta_scheduler.launch_cycles, 1000);
  EXPECT_EQ(half.accelerator.dram.bytes_per_clk, 200);
  EXPECT_EQ(half.accelerator.dram.latency_cycles, 150);
  EXPECT_EQ(half.accelerator.sm, machine.accelerator.sm);
  EXPECT_EQ(half.accelerator.l2_cache, machine.accelerator.l2_cache);
  EXPECT_EQ(at_clock(machine, 1000), machine);
  EXPECT_EQ(at_clock(machine, 500, 3.0).accelerator.cta_scheduler.launch_cycles, 1500);
}

}  // namespace
}  // namespace stcsim
