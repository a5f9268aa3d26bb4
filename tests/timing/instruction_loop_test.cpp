#include "sim/run/instruction_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/machine_runner.hpp"
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
  const auto cycles_of = [&](const KernelLaunch& one) { return runner.run(one).cycles.count(); };
  const auto [whole, warm_up] = loop_launches(loop);
  return cycles_per_pass(machine, cycles_of(whole), cycles_of(warm_up)) - cold / kPasses;
}

/// How fast the tiny machine's m16n8k16 goes: 2048 products and 768 bytes of operands.
struct Pace {
  std::int64_t millicycles;  // of the bubble
  std::int64_t fma_per_clk;
  std::int64_t register_bytes_per_clk;

  [[nodiscard]] std::int64_t multiply() const { return 2048 / fma_per_clk; }
  [[nodiscard]] std::int64_t interval() const {
    return std::max(multiply(), (767 + register_bytes_per_clk) / register_bytes_per_clk);
  }
};

/// Warps of one sub-core share its port. One alone leaves a bubble between its instructions, but
/// not between two passes, where the loop's own instructions stand; two fill each other's bubbles.
/// Where the registers are slower than the multipliers, they hide bubbles. A pass is never shorter
/// than the latency, after which a chain goes on.
std::int64_t closed_form(const InstructionLoop& loop, const Pace& pace) {
  const std::int64_t interval = pace.interval();
  const std::int64_t bubble = pace.millicycles * pace.multiply() / interval;
  const std::int64_t bubbles = ((loop.chains - 1) * bubble + 500) / 1000;
  const std::int64_t issue =
      loop.warps == 1 ? loop.chains * interval + bubbles : loop.warps * loop.chains * interval;
  return std::max(issue, loop.instruction.latency_cycles);
}

TEST(InstructionLoop, TakesTheCyclesOfTheClosedForm) {
  const std::uint64_t seed = test::seed_or(31);
  SCOPED_TRACE("seed " + std::to_string(seed));
  test::Dice dice(seed);
  std::vector<Pace> paces;
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const std::int64_t millicycles : {0, 700, 1000, 2530}) {
    for (const std::int64_t fma_per_clk : {512, 256}) {
      for (const std::int64_t bytes_per_clk : {192, 110, 70}) {
        paces.push_back({millicycles, fma_per_clk, bytes_per_clk});
        MachineConfig machine = test::tiny_machine();
        StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
        sm.tensor_core.same_warp_bubble = Millicycles(millicycles);
        for (MultiplierRate& rate : sm.tensor_core.multipliers) rate.fma_per_clk = fma_per_clk;
        sm.operand_fetch.register_bytes_per_clk = bytes_per_clk;
        runners.push_back(std::make_unique<MachineRunner>(machine));
      }
    }
  }
  for (int round = 0; round < 200; ++round) {
    const auto kind = static_cast<std::size_t>(dice.between(0, std::ssize(paces) - 1));
    InstructionLoop loop;
    loop.instruction = {DataType::fp16, kDense, 16, 8, 16, dice.between(1, 60), 0};
    loop.warps = dice.between(1, 3);
    loop.chains = dice.between(1, 6);
    // Where several warps wait for their accumulators, their order may go round with the passes,
    // and so may the last one's end: by a cycle of all passes.
    const bool may_rotate =
        loop.warps > 1 && closed_form(loop, paces[kind]) == loop.instruction.latency_cycles;
    EXPECT_NEAR(pass_of(*runners[kind], loop), static_cast<double>(closed_form(loop, paces[kind])),
                may_rotate ? 1.0 / kPasses : 1e-9)
        << "interval " << paces[kind].interval() << ", latency " << loop.instruction.latency_cycles
        << ", bubble " << paces[kind].millicycles << ", warps " << loop.warps << ", chains "
        << loop.chains;
  }
}

/// A warp group's instruction that reads more from shared memory than its port moves in that time:
/// 1024 bytes per warp and pass at 128 bytes a clk, two warps; five of them are slower than that.

TEST(InstructionLoop, IsAsSlowAsTheSharedMemoryItReads) {
  MachineRunner runner(test::tiny_machine());
  InstructionLoop loop;
  loop.instruction = {DataType::fp16, kDense, 16, 8, 16, 3, 0};
  loop.warps = 2;
  loop.fragments.b = 1024;
  EXPECT_DOUBLE_EQ(pass_of(runner, loop), 16.0);
  loop.parts = 5;
  EXPECT_DOUBLE_EQ(pass_of(runner, loop), 2 * 5 * 8.0);
}

/// 2 x (130 + 200 + 1) cycles.
TEST(InstructionLoop, StartsColdWithTwoMisses) {
  EXPECT_EQ(cold_start(test::tiny_machine().accelerator), Cycles(662));
}

/// Event by event, an instruction takes a turn of its sub-core's process, and so does the end of
/// the last one of a group: stages that are free take its message in the same turn.
TEST(InstructionLoop, ByStagesTakesATurnForEachInstruction) {
  MachineConfig machine = test::tiny_machine();
  MachineRunner closed(machine);
  machine.accelerator.sm.detail = Detail::stages;
  MachineRunner staged(machine);
  closed.set_fast_forward(false);
  staged.set_fast_forward(false);
  InstructionLoop loop;
  loop.instruction = {DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  loop.chains = 6;
  const KernelLaunch launch = loop_launch(loop, 100);
  const LaunchStatistics by_stages = staged.run(launch);
  EXPECT_EQ(by_stages.instructions(), 600);
  EXPECT_EQ(by_stages.cycles, closed.run(launch).cycles);
  EXPECT_LE(by_stages.events - closed.run(launch).events, by_stages.instructions());
}

TEST(InstructionLoop, IsTheSameWithoutFastForward) {
  MachineRunner runner(test::tiny_machine());
  InstructionLoop loop;
  loop.instruction = {DataType::fp16, {2, 4}, 16, 8, 32, 25, 0};
  loop.warps = 4;
  loop.chains = 3;
  const LaunchStatistics fast = runner.run(loop_launch(loop, 100));
  runner.set_fast_forward(false);
  LaunchStatistics slow = runner.run(loop_launch(loop, 100));
  slow.events = fast.events;
  EXPECT_EQ(fast, slow);
  EXPECT_EQ(slow.instructions(), 100 * 4 * 3);
}

}  // namespace
}  // namespace stcsim
