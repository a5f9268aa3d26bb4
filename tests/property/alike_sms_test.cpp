#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/run/machine_runner.hpp"
#include "tests/support/gemm_on.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim::test {
namespace {

/// SMs that do the same are simulated once. Whatever makes them differ, and whenever they are the
/// same again, shows in the events only.

/// The tiny machine with so many SMs and CTAs in each; a tile is 16 x 8, a k-step 16 deep.
MachineConfig machine_of(std::int64_t sms, std::int64_t ctas_per_sm) {
  MachineConfig machine = tiny_machine();
  machine.accelerator.num_sms = sms;
  machine.accelerator.sm.max_ctas = ctas_per_sm;
  return machine;
}

LaunchStatistics run(MachineRunner& runner, const KernelLaunch& launch, bool fast_forward) {
  runner.set_fast_forward(fast_forward);
  return runner.run(launch);
}

/// Everything but the events is the same. Returns how many times fewer of them there are.
double expect_same(MachineRunner& runner, const KernelLaunch& launch) {
  LaunchStatistics on = run(runner, launch, true);
  LaunchStatistics off = run(runner, launch, false);
  const double saved = static_cast<double>(off.events) / static_cast<double>(on.events);
  EXPECT_EQ(on.cycles, off.cycles);
  for (std::size_t unit = 0; unit < off.units.size(); ++unit) {
    for (std::size_t at = 0; at < off.units[unit].buckets.size(); ++at) {
      const auto& [name, cycles] = off.units[unit].buckets[at];
      EXPECT_EQ(on.units[unit].buckets[at].second, cycles) << off.units[unit].unit << " " << name;
    }
  }
  on.events = off.events = 0;
  EXPECT_TRUE(on == off);
  return saved;
}

double expect_same(const MachineConfig& machine, const GemmProblem& problem,
                   std::int64_t splits = 1) {
  MachineRunner runner(machine);
  return expect_same(runner, gemm_on(machine, problem, splits));
}

/// One group from the start to the end. Most events are those of the eight SMs.
TEST(AlikeSms, OneWaveOfEqualTilesIsOneGroup) {
  EXPECT_GT(expect_same(machine_of(8, 1), make_problem(128, 8, 48)), 3);
}

/// The last SM has 4 rows instead of 16: its stores are through earlier.
TEST(AlikeSms, ALowTileLeavesTheGroup) {
  EXPECT_GT(expect_same(machine_of(8, 1), make_problem(116, 8, 48)), 2);
}

/// 4 x 2 tiles: the last row of tiles is 6 rows high, the last column 3 wide: four sizes.
TEST(AlikeSms, EdgesOfBothKindsMakeFourGroups) {
  (void)expect_same(machine_of(8, 1), make_problem(54, 11, 48));
}

/// With memory slower than the SMs' ports, and stores that take a cycle whatever their size, the
/// last SM's 12 rows come and go with the others' 16: it costs what a full tile does.
TEST(AlikeSms, ALowTileThatAwaitsTheSameStaysInTheGroup) {
  MachineConfig machine = machine_of(8, 1);
  machine.accelerator.dram.bytes_per_clk = 16;
  machine.accelerator.memory_bus.sm_write_bytes_per_clk = 256;
  MachineRunner runner(machine);
  const KernelLaunch low = gemm_on(machine, make_problem(124, 8, 48));
  const KernelLaunch full = gemm_on(machine, make_problem(128, 8, 48));
  EXPECT_GT(expect_same(runner, low), 3);
  EXPECT_EQ(run(runner, low, true).events, run(runner, full, true).events);
}

/// Of 8 SMs.
struct Grid {
  const char* what;
  std::int64_t m = 0;
  std::int64_t k = 48;
  std::int64_t ctas_per_sm = 1;
  std::int64_t split_k = 1;
  std::int64_t batches = 1;
  double fewer_events = 0;
};

class Grids : public testing::TestWithParam<Grid> {};

TEST_P(Grids, AreTheSame) {
  const Grid& grid = GetParam();
  const GemmProblem problem = make_problem(grid.m, 8, grid.k, grid.batches);
  EXPECT_GT(expect_same(machine_of(8, grid.ctas_per_sm), problem, grid.split_k), grid.fewer_events);
}

INSTANTIATE_TEST_SUITE_P(
    AlikeSms, Grids,
    testing::Values(Grid{"k ends inside the last k-step", 128, 41, 1, 1, 1, 3},
                    Grid{"several waves", 5 * 128, 48, 1, 1, 1, 3},
                    Grid{"19 tiles: three SMs get a third one", 19 * 16},
                    Grid{"an edge tile in a last, partial wave", 18 * 16 + 5},
                    Grid{"fewer tiles than SMs", 3 * 16},
                    Grid{"two CTAs in every SM", 256, 48, 2, 1, 1, 2},
                    Grid{"13 tiles: five SMs have two, three one", 13 * 16, 48, 2},
                    Grid{"parts of 4, 4 and 3 k-steps", 48, 11 * 16, 1, 3},
                    Grid{"3 k-steps in 4 parts: some only store", 64, 3 * 16, 2, 4},
                    Grid{"batches, each of memory of its own", 16, 48, 1, 1, 20},
                    Grid{"so long that the state recurs", 116, 200 * 16, 1, 1, 1, 10},
                    Grid{"many waves", 100 * 16 + 7, 32, 1, 1, 1, 3}),
    [](const auto& info) { return "Grid" + std::to_string(info.index); });

/// Even and odd SMs are near to different slices, turn and turn about.
TEST(AlikeSms, NearAndFarSmsPartAndMeet) {
  MachineConfig machine = machine_of(8, 1);
  machine.accelerator.l2_cache.far_hit_cycles += 37;
  (void)expect_same(machine, make_problem(3 * 128, 8, 48));
}

/// Implicit im2col: nine strips of A are three of memory, the last strip 5 rows high; four k-steps
/// are two of memory, the last one short. What hits depends on which SM comes first.
TEST(AlikeSms, MemoryThatIsReadAgain) {
  const MachineConfig machine = machine_of(8, 2);
  GemmProblem problem = make_problem(8 * 16 + 5, 3 * 8 + 1, 3 * 16 + 7);
  problem.a = {40, 32};
  problem.b = {10, 20};
  (void)expect_same(machine, problem);
}

/// Slices are pushed out and fetched again, by some SMs earlier than by others.
TEST(AlikeSms, ASmallCache) {
  MachineConfig machine = machine_of(8, 2);
  machine.accelerator.l2_cache.capacity_bytes = 3000;
  (void)expect_same(machine, make_problem(300, 60, 200));
}

/// Reads overtake writes.
TEST(AlikeSms, AWriteQueue) {
  MachineConfig machine = machine_of(8, 2);
  machine.accelerator.dram.write_queue_bytes = 1000;
  machine.accelerator.dram.bytes_per_clk = 20;
  (void)expect_same(machine, make_problem(500, 40, 64));
}

struct Effort {
  Cycles cycles;
  std::int64_t events = 0;

  friend bool operator==(const Effort&, const Effort&) = default;
};

/// Machines of 2, 8 and 64 SMs with memory so wide that nobody waits for anybody else.
class WideMachines {
 public:
  WideMachines() {
    for (const std::int64_t sms : {2, 8, 64}) {
      MachineConfig machine = machine_of(sms, 1);
      machine.accelerator.l2_cache.read_bytes_per_clk = 1 << 20;
      machine.accelerator.l2_cache.write_bytes_per_clk = 1 << 20;
      machine.accelerator.dram.bytes_per_clk = 1 << 20;
      runners_.push_back(std::make_unique<MachineRunner>(machine));
    }
  }
  /// What `tiles` for every SM cost, the last one `missing` rows lower.
  std::vector<Effort> run(std::int64_t tiles, std::int64_t missing) {
    std::vector<Effort> all;
    for (auto& runner : runners_) {
      const MachineConfig& machine = runner->machine();
      const std::int64_t rows = machine.accelerator.num_sms * tiles * 16 - missing;
      const LaunchStatistics ran = runner->run(gemm_on(machine, make_problem(rows, 8, 48)));
      all.push_back({ran.cycles, ran.events});
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<MachineRunner>> runners_;
};

/// 64 SMs in step take as long, and as much simulating, as two.
TEST(AlikeSms, AGroupCostsTheSameHoweverLargeItIs) {
  WideMachines machines;
  for (const std::int64_t waves : {1, 3}) {
    const std::vector<Effort> all = machines.run(waves, 0);
    EXPECT_EQ(all[1], all[0]) << waves << " waves";
    EXPECT_EQ(all[2], all[0]) << waves << " waves";
  }
}

/// Two groups: the SM with the edge tile, and the others.
TEST(AlikeSms, AnEdgeTileCostsOneMoreGroup) {
  WideMachines machines;
  const std::vector<Effort> all = machines.run(1, 5);
  EXPECT_EQ(all[1], all[0]);
  EXPECT_EQ(all[2], all[0]);
}

}  // namespace
}  // namespace stcsim::test
