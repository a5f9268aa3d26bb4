#include "reports/validation/instruction_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr double kPasses = 1024;

/// Cycles of a pass without the cold start, which is two misses of the L2 cache.
double pass_of(MachineRunner& runner, const InstructionLoop& loop) {
  const AcceleratorConfig& machine = runner.machine().accelerator;
  const auto cold = static_cast<double>(
      2 * (machine.l2_cache.near_hit_cycles + machine.dram.access_cycles().count()));
  return cycles_per_pass(runner, loop) - cold / kPasses;
}

/// Warps of one sub-core share its port. One alone leaves a bubble between its instructions, but
/// not between two passes, where the loop's own instructions stand; two fill each other's bubbles.
/// A pass is never shorter than the latency, after which a chain goes on.
std::int64_t closed_form(const InstructionLoop& loop, double bubble) {
  const std::int64_t interval = loop.instruction.interval_cycles;
  // An m16n8k16 needs the tiny machine's multipliers for 8 cycles; what is longer hides bubbles.
  const double hidden = 8.0 / static_cast<double>(std::max<std::int64_t>(8, interval));
  const std::int64_t bubbles = std::lround(static_cast<double>(loop.chains - 1) * bubble * hidden);
  const std::int64_t issue =
      loop.warps == 1 ? loop.chains * interval + bubbles : loop.warps * loop.chains * interval;
  return std::max(issue, loop.instruction.latency_cycles);
}

TEST(InstructionLoop, TakesTheCyclesOfTheClosedForm) {
  const std::uint64_t seed = test::seed_or(31);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  constexpr std::array<std::int64_t, 4> kMillicycles{0, 700, 1000, 2530};
  std::vector<std::unique_ptr<MachineRunner>> runners;  // by bubble
  for (const std::int64_t millicycles : kMillicycles) {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.sm.tensor_core.same_warp_bubble = Millicycles(millicycles);
    runners.push_back(std::make_unique<MachineRunner>(machine));
  }
  for (int round = 0; round < 100; ++round) {
    const auto kind = static_cast<std::size_t>(dice.between(0, 3));
    const double bubble = static_cast<double>(kMillicycles.at(kind)) / 1000.0;
    InstructionLoop loop;
    loop.instruction = {DataType::fp16,     kDense, 16, 8, 16, dice.between(1, 60),
                        dice.between(4, 11)};
    loop.warps = dice.between(1, 3);
    loop.chains = dice.between(1, 6);
    EXPECT_DOUBLE_EQ(pass_of(*runners[kind], loop), static_cast<double>(closed_form(loop, bubble)))
        << "interval " << loop.instruction.interval_cycles << ", latency "
        << loop.instruction.latency_cycles << ", bubble " << bubble << ", warps " << loop.warps
        << ", chains " << loop.chains;
  }
}

/// A warp group's instruction that reads more from shared memory than its port moves in that time:
/// 1024 bytes per warp and pass at 128 bytes a clk, two warps.
TEST(InstructionLoop, IsAsSlowAsTheSharedMemoryItReads) {
  MachineRunner runner(test::tiny_machine());
  InstructionLoop loop;
  loop.instruction = {DataType::fp16, kDense, 16, 8, 16, 3, 4};
  loop.warps = 2;
  loop.fragment_bytes = 1024;
  EXPECT_DOUBLE_EQ(pass_of(runner, loop), 16.0);
  loop.parts = 5;
  EXPECT_DOUBLE_EQ(pass_of(runner, loop), 2 * 5 * 4.0);
}

/// 2 x (130 + 200 + 1) cycles.
TEST(InstructionLoop, StartsColdWithTwoMisses) {
  EXPECT_EQ(cold_start(test::tiny_machine().accelerator), Cycles(662));
}

TEST(InstructionLoop, IsTheSameWithoutFastForward) {
  MachineRunner runner(test::tiny_machine());
  InstructionLoop loop;
  loop.instruction = {DataType::fp16, {2, 4}, 16, 8, 32, 25, 8};
  loop.warps = 4;
  loop.chains = 3;
  const LaunchStatistics fast = runner.run(loop_launch(runner.machine(), loop, 100));
  runner.set_fast_forward(false);
  LaunchStatistics slow = runner.run(loop_launch(runner.machine(), loop, 100));
  slow.events = fast.events;
  EXPECT_EQ(fast, slow);
  EXPECT_EQ(slow.instructions, 100 * 4 * 3);
}

}  // namespace
}  // namespace stcsim
