#include "sim/run/gemm_run.hpp"

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/poor_board.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

std::string complaint(MachineRunner& runner, const GemmProblem& problem) {
  try {
    (void)run_gemm(runner, problem, {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST(GemmRun, RefusesWhatTheMachineDoesNotMultiply) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.tensor_core.multipliers = {{DataType::fp16, 256}, {DataType::int8, 512}};
  MachineRunner runner(machine);
  EXPECT_EQ(complaint(runner, test::make_problem(8, 8, 8, 1, DataType::tf32)),
            "error: tiny does not multiply tf32; it has fp16, int8");
  EXPECT_EQ(complaint(runner, test::make_problem(8, 0, 8)),
            "error: GEMM: n is 0, must be at least 1");
}

TEST(GemmRun, TheFastestCandidateWins) {
  MachineRunner runner(test::tiny_machine());
  const GemmProblem problem = test::make_problem(16, 8, 64);
  const std::int64_t two_stages = run_gemm(runner, problem, {"dense", 1}).result.cycles;
  const std::int64_t one_stage = run_gemm(runner, problem, {"dense_s1", 1}).result.cycles;
  EXPECT_LT(two_stages, one_stage);
  const GemmRun best = run_gemm(runner, problem, {"auto", 2});
  EXPECT_EQ(best.result.cycles, two_stages);
  EXPECT_EQ(best.result.kernel.name, "dense");
}

/// Of the machine's own list. The second kernel moves more bytes through shared memory than the
/// port passes in the time the first one takes; the third is too slow, too.
TEST(GemmRun, CandidatesThatCannotBeFasterAreNotSimulated) {
  MachineConfig machine = load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config;
  machine.stacks.clear();
  MachineRunner a100(machine);
  const GemmProblem problem =
      test::make_problem(4096, 4096, 4096, 1, DataType::fp16, Pattern{2, 4});
  EXPECT_EQ(run_gemm(a100, problem, {"auto", 3}).result.kernel.name, "sparse_256x128x64_s3");
  EXPECT_EQ(a100.simulated(), 1);
}

TEST(GemmRun, SaysHowItRan) {
  MachineRunner runner(test::tiny_machine());
  const auto run = [&](std::int64_t k, Pattern pattern) {
    return run_gemm(runner, test::make_problem(16, 8, k, 1, DataType::fp16, pattern), {});
  };
  EXPECT_EQ(run(64, kDense).reason, "");
  EXPECT_EQ(run(64, {2, 4}).hardware_pattern, (Pattern{2, 4}));
  EXPECT_EQ(run(64, {4, 8}).hardware_pattern, kDense);
  EXPECT_EQ(run(64, {4, 8}).reason, "4:8 does not fit 2:4 hardware");
  EXPECT_EQ(run(40, {2, 4}).reason,
            "k = 40 is padded to 64 by the kernel's k-step of 32; rows of A or B are aligned to 8 "
            "bytes only: loads of 8, not 16");
  EXPECT_EQ(run(33, {2, 4}).reason.find("k = 33 is padded to 64 by the kernel's k-step of 32; "),
            0);
  EXPECT_EQ(
      run(48, {1, 4}).reason,
      "1:4 runs at the rate of 2:4 hardware; k = 48 is padded to 64 by the kernel's k-step of "
      "32");
}

TEST(GemmRun, CarryingValuesIsNotDisturbedByFastForward) {
  MachineRunner runner(test::tiny_machine());
  const GemmProblem problem = test::make_problem(16, 8, 64, 200);
  runner.set_fast_forward(false);
  const std::int64_t every_cycle = run_gemm(runner, problem, {}).result.events;
  runner.set_fast_forward(true);
  const FunctionalRun with_values = run_gemm_with_values(runner, problem, {}, {}, {});
  EXPECT_LT(with_values.run.result.events, every_cycle) << "nothing was skipped";
  EXPECT_EQ(with_values.check.mismatches, 0);
}

/// A split-K GEMM is followed by the launch that adds its partial sums up.
TEST(GemmRun, SplitKIncludesTheReduction) {
  MachineConfig machine = test::tiny_machine();
  machine.split_k = {2};
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(16, 8, 64);
  const LaunchResult result = run_gemm(runner, problem, {"dense", 1}).result;
  EXPECT_EQ(result.kernel.split_k, 2);
  EXPECT_EQ(result.mma_instructions, 4);
  // Two fp32 tiles into the workspace, which is read back from DRAM, and C.
  EXPECT_EQ(result.count("l2_write_bytes"), 2 * 16 * 8 * 4 + 16 * 8 * 2);
  EXPECT_EQ(result.count("dram_write_bytes"), 2 * 16 * 8 * 4 + 16 * 8 * 2);
  EXPECT_EQ(result.count("dram_read_bytes"), (16 + 8) * 64 * 2 + 2 * 16 * 8 * 4);
  EXPECT_EQ(result.count("l2_hit_bytes"), 0);
  test::expect_buckets_sum(result);
}

/// Of a board that may draw less than a dense GEMM takes at full clock.
class SustainedGemm : public testing::Test {
 protected:
  static MachineConfig machine(double limit_watts) {
    MachineConfig machine = test::tiny_machine();
    machine.power.limit_watts = limit_watts;
    machine.power.idle_watts = 1;
    machine.power.mac_energy = {{DataType::fp16, 1000.0}};
    machine.power.voltage_floor = 1;
    machine.power.clock_step_mhz = 1;
    return machine;
  }

  GemmProblem problem_ = test::make_problem(512, 512, 1024);
};

TEST_F(SustainedGemm, RunsAtTheClockThatTheBoardAffords) {
  MachineRunner free(machine(0));
  MachineRunner limited(machine(1));
  const LaunchResult full = run_gemm_sustained(free, problem_, {}).result;
  EXPECT_EQ(full.clock_mhz, 1000);
  EXPECT_EQ(full, [&] {
    LaunchResult same = run_gemm(free, problem_, {}).result;
    same.board_watts = full.board_watts;
    return same;
  }());
  LaunchConditions conditions;
  conditions.locked_clock_mhz = 500;
  const LaunchResult half = run_gemm_sustained(free, problem_, {}, conditions).result;
  EXPECT_EQ(half.clock_mhz, 500);
  EXPECT_LE(half.cycles, full.cycles);
  EXPECT_LT(half.board_watts, full.board_watts);
  EXPECT_GT(half.board_watts, 1);
  EXPECT_EQ(run_gemm_sustained(limited, problem_, {}, conditions).result, half);
  EXPECT_EQ(run_gemm(free, problem_, {}).result.cycles, full.cycles);
}

TEST_F(SustainedGemm, DrawsWhatItMayAndNotMore) {
  MachineRunner free(machine(0));
  MachineRunner limited(machine(30));
  const LaunchResult full = run_gemm_sustained(free, problem_, {}).result;
  ASSERT_GT(full.board_watts, 30);
  const LaunchResult held = run_gemm_sustained(limited, problem_, {}).result;
  EXPECT_LT(held.clock_mhz, 1000);
  EXPECT_LE(held.board_watts, 30);
  EXPECT_GT(held.board_watts, 29);
  EXPECT_GT(held.time_us(), full.time_us());
  EXPECT_EQ(limited.machine(), limited.machine_as_built());
}

TEST_F(SustainedGemm, DrawsMoreAtFirst) {
  MachineConfig bursting = machine(30);
  bursting.power.burst_joules = 0.2;
  MachineRunner runner(bursting);
  LaunchConditions conditions;
  const LaunchResult endless = run_gemm_sustained(runner, problem_, {}, conditions).result;
  conditions.launches = 20;
  const LaunchResult few = run_gemm_sustained(runner, problem_, {}, conditions).result;
  EXPECT_GT(few.clock_mhz, endless.clock_mhz);
  EXPECT_LT(few.clock_mhz, 1000);
  EXPECT_GT(few.board_watts, 30);
  EXPECT_LE(few.board_watts,
            allowed_watts(bursting, static_cast<double>(few.cycles), few.clock_mhz, 20));
}

TEST_F(SustainedGemm, TakesTheKernelThatIsFasterAtItsOwnClock) {
  const GemmProblem problem = test::poor_board_problem();
  const auto run = [&](MachineRunner& runner, const char* kernel) {
    return run_gemm_sustained(runner, problem, {kernel, 100}).result;
  };
  const auto run_one = [&](MachineRunner& runner, const LaunchConditions& conditions) {
    return run_gemm_sustained(runner, problem, {"auto", 1}, conditions).result;
  };
  MachineRunner rich_board(test::poor_board(0));
  MachineRunner poor_board(test::poor_board(20));
  EXPECT_EQ(run(rich_board, "auto").kernel.name, "small");
  const LaunchResult small = run(poor_board, "small");
  const LaunchResult large = run(poor_board, "large");
  ASSERT_LT(small.cycles, large.cycles);
  ASSERT_GT(small.time_us(), 1.1 * large.time_us());
  const LaunchResult chosen = run(poor_board, "auto");
  EXPECT_EQ(chosen.kernel.name, "large");
  EXPECT_NEAR(chosen.time_us(), large.time_us(), 0.01 * large.time_us());
  // The estimates know it too, of all but a locked clock.
  EXPECT_EQ(run_one(poor_board, {}).kernel.name, "large");
  EXPECT_EQ(run_one(poor_board, {OperandValues::random, 500}).kernel.name, "small");
}

/// A, B and C of 16 x 8 x 64 take 2048, 1024 and 256 bytes. Launched again with the same operands,
/// they are found in a cache that keeps them all, and none of them in one that does not.
TEST(SameOperands, AreFoundIfTheCacheKeepsThemAndTheResult) {
  constexpr std::int64_t kRead = 2048 + 1024;
  constexpr std::int64_t kAll = kRead + 256;
  const auto keeping = [](std::int64_t kept_bytes) {
    MachineConfig machine = test::tiny_machine();
    machine.accelerator.l2_cache.kept_bytes = kept_bytes;
    return machine;
  };
  const auto read_bytes = [](MachineRunner& runner, bool same_operands) {
    LaunchConditions conditions;
    conditions.same_operands = same_operands;
    const GemmProblem problem = test::make_problem(16, 8, 64);
    return run_gemm_sustained(runner, problem, {"dense", 1}, conditions)
        .result.count("dram_read_bytes");
  };
  MachineRunner keeps(keeping(kAll));
  MachineRunner loses(keeping(kAll - 1));
  EXPECT_EQ(read_bytes(keeps, true), 0);
  EXPECT_EQ(read_bytes(loses, true), kRead);
  EXPECT_EQ(read_bytes(keeps, false), kRead);
}

}  // namespace
}  // namespace stcsim
