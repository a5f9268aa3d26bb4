#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/accelerator/accelerator.hpp"
#include "models/accelerator/block_diagram.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "tests/support/gemm_on.hpp"
#include "tests/support/random_machine.hpp"
#include "tests/support/seed.hpp"

namespace stcsim::test {
namespace {

/// What a unit says of its state is all there is to it: a unit that forgets everything in the
/// middle of a launch and reads its state back goes on as if nothing had happened.
struct StateCase {
  std::string text;
  std::unique_ptr<Accelerator> machine;
  KernelLaunch launch;
};

LaunchStatistics without_events(LaunchStatistics statistics) {
  statistics.events = 0;
  return statistics;
}

LaunchStatistics run(StateCase& one) {
  return without_events(one.machine->run(one.launch, {}).value());
}

/// All units that act, by name.
std::vector<ActiveUnit*> acting_units(StateCase& one) {
  std::vector<ActiveUnit*> units;
  one.machine->diagram().for_each_acting([&](ActiveUnit& unit) { units.push_back(&unit); });
  return units;
}

/// The unit forgets its state and its plans, reads the state back and is woken for nothing.
void forget_and_remember(ActiveUnit& unit, const KernelLaunch& launch, Cycle now) {
  StateOrigin origin;
  origin.now = now;
  DescribedState described;
  StateWriter writer(StateWriter::Kind::complete, origin, described);
  unit.describe(writer, now);
  writer.finish();
  unit.launch(launch);
  unit.disarm();
  StateReader reader(described, now);
  unit.restore(reader);
  EXPECT_TRUE(reader.at_end()) << unit.name();
  unit.wake(now + kOneCycle);
}

/// Runs the launch; in cycle `at`, these units forget.
LaunchStatistics run_forgetting(StateCase& one, const std::vector<ActiveUnit*>& units, Cycle at) {
  RunOptions options;
  options.look_at = at;
  options.look = [&] {
    for (ActiveUnit* const unit : units) forget_and_remember(*unit, one.launch, at);
    for (const auto& sm : one.machine->diagram().sms) sm->arm();
  };
  return without_events(one.machine->run(one.launch, options).value());
}

std::string difference(const LaunchStatistics& a, const LaunchStatistics& b) {
  if (a.cycles != b.cycles) {
    return std::to_string(a.cycles.count()) + " cycles, then " + std::to_string(b.cycles.count());
  }
  return a == b ? "" : "other statistics";
}

/// Every unit by itself and all together, in cycles drawn from all of the launch.
void expect_same_futures(StateCase& one, Dice& dice, std::int64_t cycles_tried) {
  const LaunchStatistics undisturbed = run(one);
  const std::vector<ActiveUnit*> units = acting_units(one);
  for (std::int64_t count = 0; count < cycles_tried; ++count) {
    const Cycle at(dice.between(1, undisturbed.cycles.count() - 1));
    EXPECT_EQ(difference(undisturbed, run_forgetting(one, units, at)), "")
        << one.text << ": all units in cycle " << at.index();
    for (ActiveUnit* const unit : units) {
      EXPECT_EQ(difference(undisturbed, run_forgetting(one, {unit}, at)), "")
          << one.text << ": " << unit->name() << " in cycle " << at.index();
      if (testing::Test::HasFailure()) return;
    }
  }
}

StateCase make_case(const std::string& text, const MachineConfig& machine, KernelLaunch launch) {
  return {text, std::make_unique<Accelerator>(machine.accelerator), std::move(launch)};
}

/// A random machine, a random problem and one of the kernels that fit.
StateCase draw_case(std::uint64_t seed, Dice& dice) {
  const MachineConfig machine = random_machine(dice);
  GemmProblem problem = random_problem(dice);
  problem.m = std::min<std::int64_t>(problem.m, 100);
  problem.n = std::min<std::int64_t>(problem.n, 100);
  problem.k = std::min<std::int64_t>(problem.k, 200);
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  std::vector<KernelLaunch> launches;
  for (const KernelConfig& config : machine.kernels) {
    std::string why_not;
    const auto kernel = fit_kernel(machine, config, problem.dtype, hardware, why_not);
    if (!kernel) continue;
    const std::int64_t splits = std::min(dice.between(1, 3), most_splits(*kernel, problem));
    launches.push_back(gemm_launch(machine, *kernel, problem, splits));
  }
  const auto chosen = static_cast<std::size_t>(dice.between(0, std::ssize(launches) - 1));
  return make_case("seed " + std::to_string(seed), machine, launches[chosen]);
}

TEST(UnitState, OfRandomMachinesIsAllThereIs) {
  constexpr std::uint64_t kCases = 12;
  constexpr std::int64_t kCycles = 6;
  const std::uint64_t first = seed_or(20261122);
  std::vector<StateCase> cases;  // machines have to be built before the first run
  for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
    Dice dice(seed);
    cases.push_back(draw_case(seed, dice));
  }
  Dice dice(first);
  for (StateCase& one : cases) expect_same_futures(one, dice, kCycles);
}

/// One instruction in each group, and its result is there long after the multipliers are free: a
/// warp's next group waits for its accumulators.
TEST(UnitState, IncludesAccumulatorsThatAreAwaited) {
  MachineConfig machine = tiny_machine();
  for (MmaInstruction& one : machine.accelerator.sm.tensor_core.instructions) {
    one.latency_cycles = 100;
  }
  StateCase one = make_case("long latency", machine, gemm_on(machine, make_problem(16, 8, 160)));
  Dice dice(seed_or(1));
  expect_same_futures(one, dice, 60);
}

/// The barrier takes longer than all else in a k-step.
TEST(UnitState, IncludesABarrierThatIsNotYetOpen) {
  MachineConfig machine = tiny_machine();
  machine.accelerator.sm.sub_cores = 2;
  machine.accelerator.sm.shared_memory.barrier_cycles = 90;
  machine.kernels = {make_kernel("two_warps", false, 32, 8, 16, 3, 2, 1)};
  StateCase one = make_case("slow barrier", machine, gemm_on(machine, make_problem(32, 8, 160)));
  Dice dice(seed_or(2));
  expect_same_futures(one, dice, 60);
}

}  // namespace
}  // namespace stcsim::test
