#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/job/job.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/study/network_study.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/own_process.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// A machine that draws watts: what a result says of these depends on the clock too.
MachineConfig drawing_machine() {
  MachineConfig machine = test::tiny_machine();
  machine.power.limit_watts = 100;
  machine.power.idle_watts = 1;
  machine.power.dram_pj_per_byte = 10;
  machine.power.voltage_floor = 0.5;
  return machine;
}

Work gemm(bool with_values) {
  return GemmWork{test::make_problem(96, 64, 128), with_values};
}

std::string all_answers(MachineRunner& runner, double clock_mhz) {
  std::string answers;
  const JobMachine machine{nullptr, clock_mhz, {}};
  for (const Work& work : {gemm(false), Work(StreamWork{1 << 16, 1 << 15}), gemm(true)}) {
    answers += encode(run_job(runner, {&machine, work}));
  }
  return answers;
}

/// A worker builds its machine once, and each of its points has a clock of its own: the run is, to
/// the last byte, that of a machine built for that clock.
TEST(StudyClock, ChangedIsAsGoodAsBuilt) {
  const MachineConfig machine = drawing_machine();
  const std::string own = test::in_own_process([&] {
    MachineRunner runner(machine);
    return all_answers(runner, machine.clock_mhz);
  });
  for (const double clock_mhz : {machine.clock_mhz, 975.0, 510.0, 15.0}) {
    const std::string built = test::in_own_process([&] {
      MachineRunner runner(at_clock(machine, clock_mhz));
      return all_answers(runner, clock_mhz);
    });
    const std::string changed = test::in_own_process([&] {
      MachineRunner runner(machine);
      (void)all_answers(runner, machine.clock_mhz);
      (void)all_answers(runner, 720.0);
      return all_answers(runner, clock_mhz);
    });
    ASSERT_FALSE(built.starts_with("failed")) << built;
    EXPECT_EQ(changed, built) << clock_mhz << " MHz";
    EXPECT_EQ(clock_mhz == machine.clock_mhz, built == own) << clock_mhz << " MHz";
  }
}

/// A worker that has points of the machine at several clocks simulates each at its own.
TEST(StudyClock, OfAWorkerIsEachPointsOwn) {
  const MachineSpec as_built{.name = "m", .config = drawing_machine()};
  StudyMachines machines(false);
  std::vector<AskedJob> asked;
  for (const double clock_mhz : {as_built.config.clock_mhz, 510.0, 975.0}) {
    asked.emplace_back().job = machines.at(as_built, clock_mhz, {}).job(gemm(false));
  }
  const std::vector<AskedJob*> jobs{&asked[0], &asked[1], &asked[2]};
  const JobOptions options{.launches = std::make_shared<LaunchCache>()};
  const auto run = [&](const std::vector<std::int64_t>& numbers) {
    return test::in_own_process([&] {
      JobWorker worker(jobs, options);
      std::string last;
      for (const std::int64_t number : numbers) last = worker(number);
      return last;
    });
  };
  const std::string first = run({0});
  ASSERT_FALSE(first.starts_with("failed")) << first;
  EXPECT_NE(run({1}), first);
  EXPECT_EQ(run({0, 1}), run({1}));
  EXPECT_EQ(run({0, 1, 2}), run({2}));
  EXPECT_EQ(run({1, 2, 0}), first);
}

/// What it took to simulate is not part of what came out.
TEST(StudyClock, AnswersAreTheSameBytesWhateverTheEffort) {
  const MachineSpec as_built{.name = "m", .config = drawing_machine()};
  StudyMachines machines(false);
  AskedJob asked;
  asked.job = machines.at(as_built, 510.0, {}).job(gemm(false));
  const std::vector<AskedJob*> jobs{&asked};
  const auto run = [&](bool fast_forward) {
    return test::in_own_process([&] {
      const JobOptions options{.fast_forward = fast_forward};
      return JobWorker(jobs, options)(0);
    });
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace stcsim
