#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "models/accelerator/accelerator.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/launch_check.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMachines = 40;
constexpr std::int64_t kGemmsPerMachine = 6;

std::string problem_text(const GemmProblem& problem) {
  return std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
         std::to_string(problem.k) + " batch " + std::to_string(problem.batch_count) + " " +
         std::string(to_string(problem.dtype)) + " " + problem.a_pattern.to_string();
}

/// Random machines, elaborated (SystemC wants all of them before the first run), and what to draw
/// problems from.
class RandomMachines {
 public:
  explicit RandomMachines(std::uint64_t seed) : dice_(seed) {
    for (std::int64_t index = 0; index < kMachines; ++index) {
      runners_.push_back(std::make_unique<MachineRunner>(test::random_machine(dice_)));
    }
  }

  template <class Check>
  void for_each_gemm(const Check& check) {
    for (std::size_t index = 0; index < runners_.size(); ++index) {
      for (std::int64_t gemm = 0; gemm < kGemmsPerMachine; ++gemm) {
        const GemmProblem problem = test::random_problem(dice_);
        SCOPED_TRACE("machine " + std::to_string(index) + ": " + problem_text(problem));
        check(*runners_[index], problem);
      }
    }
  }

 private:
  test::Dice dice_;
  std::vector<std::unique_ptr<MachineRunner>> runners_;
};

KernelCandidate first_candidate(const MachineConfig& machine, const GemmProblem& problem) {
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  return kernel_candidates(machine, problem, {hardware}, {"auto", 1}).front();
}

TEST(RandomGemm, BucketsOfEveryUnitSumToTheCycles) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomMachines(kSeed).for_each_gemm([](MachineRunner& runner, const GemmProblem& problem) {
    test::expect_buckets_sum(run_gemm(runner, problem, {"auto", 2}).result);
  });
}

/// Tile by tile; of outputs, their part of each tile.
std::int64_t stored_elements(const KernelLaunch& launch, const GemmProblem& problem) {
  const Pattern pattern = launch.warp.instruction->pattern;
  const Pattern kept = pattern.of_outputs ? pattern : kDense;
  std::int64_t elements = 0;
  for (std::int64_t row = 0; row < problem.m; row += launch.tile_m) {
    for (std::int64_t column = 0; column < problem.n; column += launch.tile_n) {
      const std::int64_t of_tile =
          std::min(launch.tile_m, problem.m - row) * std::min(launch.tile_n, problem.n - column);
      elements += (of_tile * kept.n + kept.m - 1) / kept.m;
    }
  }
  return elements * problem.batch_count;
}

/// All instructions of the padded grid are issued, whatever happens to their timing.
TEST(RandomGemm, IssuesEveryInstructionOfTheGrid) {
  constexpr std::uint64_t kSeed = 13;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomMachines(kSeed).for_each_gemm([](MachineRunner& runner, const GemmProblem& problem) {
    const KernelCandidate candidate = first_candidate(runner.machine(), problem);
    const KernelLaunch& launch = candidate.launch;
    const LaunchStatistics statistics = runner.run(launch);
    EXPECT_EQ(statistics.instructions(),
              launch.tiles_m * launch.tiles_n * launch.batch_count * launch.k_steps * launch.warps *
                  launch.warp.groups_per_step * launch.warp.instructions_per_group);
    EXPECT_EQ(statistics.count("l2_write_bytes"),
              stored_elements(launch, problem) * launch.splits * launch.epilogue.element_bytes);
  });
}

/// What a launch did, without the simulator's own effort.
LaunchStatistics run_launch(Accelerator& machine, const KernelLaunch& launch) {
  LaunchStatistics statistics = machine.run(launch, {}).value();
  statistics.events = 0;
  return statistics;
}

LaunchStatistics run_launch(MachineRunner& machine, const KernelLaunch& launch) {
  LaunchStatistics statistics = machine.run(launch);
  statistics.events = 0;
  return statistics;
}

/// A machine is reset between launches: the same launch gives the same statistics, also after
/// another one.
TEST(RandomGemm, TheSameLaunchGivesTheSameStatisticsAgain) {
  constexpr std::uint64_t kSeed = 14;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  test::Dice other(kSeed + 1);
  RandomMachines(kSeed).for_each_gemm([&](MachineRunner& runner, const GemmProblem& problem) {
    const KernelLaunch launch = first_candidate(runner.machine(), problem).launch;
    const LaunchStatistics first = run_launch(runner, launch);
    EXPECT_TRUE(run_launch(runner, launch) == first);
    (void)runner.run(first_candidate(runner.machine(), test::random_problem(other)).launch);
    EXPECT_TRUE(run_launch(runner, launch) == first);
  });
}

TEST(RandomGemm, ConstructionOrderDoesNotShow) {
  constexpr std::uint64_t kSeed = 16;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  test::Dice dice(kSeed);
  std::vector<MachineConfig> machines;
  std::vector<std::unique_ptr<Accelerator>> natural;
  std::vector<std::unique_ptr<Accelerator>> shuffled;
  for (std::int64_t index = 0; index < kMachines; ++index) {
    machines.push_back(test::random_machine(dice));
    natural.push_back(std::make_unique<Accelerator>(machines.back().accelerator));
    shuffled.push_back(std::make_unique<Accelerator>(machines.back().accelerator,
                                                     static_cast<std::uint64_t>(1 + index)));
  }
  for (std::size_t index = 0; index < machines.size(); ++index) {
    for (std::int64_t gemm = 0; gemm < kGemmsPerMachine; ++gemm) {
      const GemmProblem problem = test::random_problem(dice);
      const KernelLaunch launch = first_candidate(machines[index], problem).launch;
      EXPECT_TRUE(run_launch(*shuffled[index], launch) == run_launch(*natural[index], launch))
          << "machine " << index << ": " << problem_text(problem);
    }
  }
}

/// The multipliers do n/m of the dense products: where they are all that counts, a sparse kernel
/// cannot be faster than that share of the dense one's multiplications.
TEST(RandomGemm, SparseSavesNoMoreThanTheMultiplicationsItLeavesOut) {
  constexpr std::uint64_t kSeed = 17;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomMachines(kSeed).for_each_gemm([](MachineRunner& runner, const GemmProblem& problem) {
    const GemmRun run = run_gemm(runner, problem, {"auto", 2});
    const AcceleratorConfig& hardware = runner.machine().accelerator;
    const std::int64_t k_per_clk = elements_in(problem.dtype, 32) * 16;
    const std::int64_t macs_per_clk = k_per_clk * hardware.sm.sub_cores * hardware.num_sms;
    EXPECT_GE(run.result.cycles * macs_per_clk * run.hardware_pattern.m,
              problem.macs() * run.hardware_pattern.n);
  });
}

/// All candidates simulated to their ends; the first of the fastest.
std::int64_t fastest(MachineRunner& runner, const GemmProblem& problem) {
  std::vector<Pattern> hardware =
      sparsity_support(runner.machine(), problem.dtype, problem.a_pattern).patterns;
  hardware.push_back(kDense);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (const KernelCandidate& one :
       kernel_candidates(runner.machine(), problem, hardware, {"auto", 3})) {
    std::int64_t cycles = runner.run(one.launch).cycles.count();
    if (one.launch.splits > 1) {
      cycles += runner.run(reduction_launch(runner.machine(), problem, one.launch)).cycles.count();
    }
    best = std::min(best, cycles);
  }
  return best;
}

TEST(RandomGemm, GivingUpCandidatesDoesNotChangeTheChoice) {
  constexpr std::uint64_t kSeed = 15;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  RandomMachines(kSeed).for_each_gemm([](MachineRunner& runner, const GemmProblem& problem) {
    EXPECT_EQ(run_gemm(runner, problem, {"auto", 3}).result.cycles, fastest(runner, problem));
  });
}

}  // namespace
}  // namespace stcsim
