#include "sim/kernel/kernel_search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

void expect_adds_up(const KernelSearch& search) {
  EXPECT_EQ(search.possible, search.simulated + search.cannot_win + search.left_out);
  EXPECT_EQ(search.is_exact(), search.left_out == 0);
  EXPECT_EQ(search.regret_at_most > 0, search.left_out > 0);
}

/// Every kernel that a search chooses from is counted, whichever was simulated.
TEST(KernelSearch, CountsAllThatCouldRunIt) {
  const MachineConfig machine = test::tiny_machine();
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(64, 64, 128);
  const auto all = std::ssize(every_candidate(machine, problem, {kDense}));
  for (const std::int64_t candidates : {1, 2, 1000}) {
    const GemmRun run = run_gemm(runner, problem, {"auto", candidates});
    ASSERT_TRUE(run.search.has_value());
    expect_adds_up(*run.search);
    EXPECT_EQ(run.search->possible, all);
    EXPECT_GE(run.search->simulated, 1);
  }
}

/// The least bound of the kernels that were not simulated; the first one was.
std::int64_t least_bound_behind_the_first(const MachineConfig& machine,
                                          const GemmProblem& problem) {
  const KernelLaunch first = gemm_candidates(machine, problem, {"auto", 1}).front().launch;
  const auto cycles = [&](const KernelLaunch& launch) {
    return least_cycles(machine.accelerator, launch).count();
  };
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const KernelCandidate& one : every_candidate(machine, problem, {kDense})) {
    if (one.launch == first) continue;
    const bool reduces = one.launch.splits > 1;
    const std::int64_t after = reduces ? cycles(reduction_launch(machine, problem, one.launch)) : 0;
    least = std::min(least, cycles(one.launch) + after);
  }
  return least;
}

TEST(KernelSearch, RegretIsWhatTheLeastBoundLeavesOpen) {
  MachineRunner runner(test::tiny_machine());
  for (const std::int64_t k : {64, 512, 2048}) {
    const GemmProblem problem = test::make_problem(96, 40, k);
    const GemmRun run = run_gemm(runner, problem, {"auto", 1});
    const auto found = static_cast<double>(run.result.cycles);
    const auto least = static_cast<double>(least_bound_behind_the_first(runner.machine(), problem));
    EXPECT_DOUBLE_EQ(run.search->regret_at_most, std::max(0.0, (found - least) / found)) << k;
  }
}

/// What was left out is simulated too: none is faster than the bound said, and nothing is left.
TEST(KernelSearch, NoKernelLeftOutSparesMoreThanItSays) {
  MachineRunner runner(test::tiny_machine());
  for (const std::int64_t k : {64, 512, 2048}) {
    const GemmProblem problem = test::make_problem(96, 40, k);
    const GemmRun first = run_gemm(runner, problem, {"auto", 1});
    const GemmRun best = run_gemm(runner, problem, {"auto", 1000});
    const auto cycles = static_cast<double>(first.result.cycles);
    EXPECT_GE(static_cast<double>(best.result.cycles),
              cycles * (1.0 - first.search->regret_at_most) - 0.5);
    EXPECT_TRUE(best.search->is_exact());
    EXPECT_EQ(best.search->regret_at_most, 0);
  }
}

/// A library's kernels count too, though its rule takes one of them and no stack searches them:
/// each with one number of CTAs on an SM and one of fragment buffers.
TEST(KernelSearch, OfTheBestStackCountsTheKernelsOfLibraries) {
  MachineConfig machine = test::tiny_machine();
  LibraryKernel entry;
  entry.kernel = machine.kernels.front();
  entry.kernel.name = "deep";
  entry.kernel.tile_k *= 2;
  LibraryKernel other = entry;
  other.kernel.name = "deeper";
  other.kernel.tile_k *= 2;
  machine.libraries = {{"lib", {entry, other}}};
  machine.stacks = {{"rule", "lib", kByHeuristic, kOwnKernels, kBySearch}};
  MachineRunner runner(machine);
  const GemmProblem problem = test::make_problem(96, 40, 2048);
  const auto own = std::ssize(every_candidate(machine, problem, {kDense}));
  for (const std::int64_t candidates : {1, 1000}) {
    const GemmRun best = run_gemm(runner, problem, {"auto", candidates, kBestStack});
    const GemmRun rule = run_gemm(runner, problem, {"auto", candidates, "rule"});
    expect_adds_up(*best.search);
    EXPECT_EQ(best.search->possible, own + 2);
    EXPECT_EQ(best.search->is_exact(), candidates == 1000);
    EXPECT_LE(best.result.cycles, rule.result.cycles);
  }
}

/// A rule of a library, and a user who names a kernel, search nothing.
TEST(KernelSearch, IsOnlyWhereOneWasMade) {
  MachineRunner a100(load_machine(STCSIM_SOURCE_DIR "/configs/arch/a100.yaml").config);
  const GemmProblem dense = test::make_problem(1024, 1024, 256);
  const GemmProblem sparse = test::make_problem(1024, 1024, 256, 1, DataType::fp16, {2, 4});
  EXPECT_FALSE(run_gemm(a100, dense, {"auto", {}, "slides_2020"}).search.has_value());
  EXPECT_TRUE(run_gemm(a100, sparse, {"auto", {}, "slides_2020"}).search.has_value());
  EXPECT_FALSE(run_gemm(a100, dense, {"dense_128x128x32_s4"}).search.has_value());
  const GemmRun of_library = run_gemm(a100, dense, {"auto", {}, "cuda12_search"});
  ASSERT_TRUE(of_library.search.has_value());
  expect_adds_up(*of_library.search);
}

}  // namespace
}  // namespace stcsim
