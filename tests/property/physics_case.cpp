#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sim/run/launch_result.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/property/random_machines.hpp"
#include "tests/support/physics_check.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {
namespace {

constexpr std::int64_t kGemmsPerMachine = 6;

StreamWork random_work(Dice& dice) {
  const auto bytes = [&] {
    return dice.between(0, 3) == 0 ? 0 : dice.between(1, dice.one_of({100, 20000, 300000}));
  };
  return {bytes(), bytes(), dice.between(0, 100000)};
}

void expect_physics(MachineRunner& runner, Dice& dice) {
  const MachineConfig& machine = runner.machine();
  LaunchResult all;
  std::int64_t into_registers = 0;
  for (std::int64_t gemm = 0; gemm < kGemmsPerMachine; ++gemm) {
    const GemmProblem problem = random_problem(dice);
    SCOPED_TRACE("GEMM " + std::to_string(gemm) + ": " + std::to_string(problem.m) + "x" +
                 std::to_string(problem.n) + "x" + std::to_string(problem.k) + " x" +
                 std::to_string(problem.batch_count) + " " + problem.a_pattern.to_string());
    const GemmRun run = run_gemm(runner, problem, {"auto", 2});
    expect_within_physics(machine, problem, run);
    const StreamWork work = random_work(dice);
    SCOPED_TRACE("stream kernel behind it: " + std::to_string(work.read_bytes) + " bytes in, " +
                 std::to_string(work.write_bytes) + " out");
    const LaunchResult streamed = run_stream(runner, work);
    expect_within_physics(machine, work, streamed);
    append_result(all, run.result);
    into_registers += sent_into_registers(machine, run.result);
    append_result(all, streamed);
  }
  expect_ports_carry(ports_of(machine.accelerator), all.cycles, all.counters, into_registers);
}

/// The board draws no more than it may, at a clock that it has.
void expect_affordable(MachineRunner& runner, Dice& dice) {
  const MachineConfig& machine = runner.machine_as_built();
  LaunchConditions conditions;
  conditions.same_operands = dice.between(0, 1) == 0;
  if (dice.between(0, 1) == 0) conditions.launches = dice.between(1, 50);
  const GemmProblem problem = random_problem(dice);
  const LaunchResult result = run_gemm_sustained(runner, problem, {"auto", 2}, conditions).result;
  EXPECT_EQ(runner.machine(), machine);
  EXPECT_LE(result.clock_mhz, machine.clock_mhz);
  EXPECT_GE(result.clock_mhz, machine.power.clock_step_mhz);
  if (machine.power.limit_watts == 0) {
    EXPECT_EQ(result.clock_mhz, machine.clock_mhz);
  } else if (result.clock_mhz > machine.power.clock_step_mhz) {
    EXPECT_LE(result.board_watts, allowed_watts(machine, static_cast<double>(result.cycles),
                                                result.clock_mhz, conditions.launches));
  }
}

}  // namespace

void expect_physics_on_random_machines(std::uint64_t seed, std::int64_t machines) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (std::int64_t index = 0; index < machines; ++index) {
    runners.push_back(std::make_unique<MachineRunner>(random_machine(dice)));
  }
  for (std::size_t index = 0; index < runners.size(); ++index) {
    SCOPED_TRACE("machine " + std::to_string(index));
    expect_physics(*runners[index], dice);
    expect_affordable(*runners[index], dice);
  }
}

}  // namespace stcsim::test
