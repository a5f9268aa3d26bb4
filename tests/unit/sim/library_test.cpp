#include "sim/kernel/library.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// A tile of 16 x 8; the tiny machine has one SM.
class Library : public testing::Test {
 protected:
  Library() : machine_(test::tiny_machine()) {
    entry_.kernel = machine_.kernels.front();
    std::string why_not;
    kernel_ = *fit_kernel(machine_, entry_.kernel, DataType::fp16, kDense, why_not);
  }
  [[nodiscard]] bool considered(const GemmProblem& problem) const {
    return is_considered(entry_, kernel_, machine_, problem);
  }

  MachineConfig machine_;
  LibraryKernel entry_;
  FittedKernel kernel_;
};

TEST_F(Library, WithoutConditionsAKernelIsAlwaysConsidered) {
  EXPECT_TRUE(considered(test::make_problem(1, 1, 1)));
  EXPECT_TRUE(considered(test::make_problem(100'000, 100'000, 100'000)));
}

TEST_F(Library, LengthsOfTheReductionAreInclusive) {
  entry_.min_k = 32;
  entry_.max_k = 64;
  for (const auto& [k, expected] : {std::pair{31, false}, {32, true}, {64, true}, {65, false}}) {
    EXPECT_EQ(considered(test::make_problem(16, 8, k)), expected) << k;
  }
}

TEST_F(Library, RowsAndColumnsMayBeLimited) {
  entry_.max_m = 64;
  entry_.max_n = 8;
  EXPECT_TRUE(considered(test::make_problem(64, 8, 16)));
  EXPECT_FALSE(considered(test::make_problem(65, 8, 16)));
  EXPECT_FALSE(considered(test::make_problem(64, 9, 16)));
}

TEST_F(Library, TypesMayBeNamed) {
  GemmProblem problem = test::make_problem(16, 8, 16);
  entry_.dtypes = {DataType::int8, DataType::bf16};
  EXPECT_FALSE(considered(problem));
  problem.dtype = DataType::bf16;
  EXPECT_TRUE(considered(problem));
  entry_.dtypes = {};
  EXPECT_TRUE(considered(problem));
}

TEST_F(Library, BothOperandsHaveToHaveKContiguous) {
  GemmProblem problem = test::make_problem(16, 8, 16);
  entry_.k_contiguous = true;
  EXPECT_TRUE(considered(problem));
  problem.b_layout = OperandLayout::mn_major;
  EXPECT_FALSE(considered(problem));
  entry_.k_contiguous = false;
  EXPECT_TRUE(considered(problem));
}

TEST_F(Library, WavesCountTheSlotsOfAllSms) {
  entry_.max_waves = 2;
  machine_.accelerator.num_sms = 3;
  const std::int64_t slots = 3 * kernel_.ctas_per_sm;
  EXPECT_TRUE(considered(test::make_problem(16 * 2 * slots, 8, 16)));
  EXPECT_FALSE(considered(test::make_problem(16 * 2 * slots + 1, 8, 16)));
}

TEST_F(Library, OnlyItsKernelsAreCandidates) {
  entry_.kernel.name = "mine";
  machine_.libraries = {{"lib", {entry_}}};
  machine_.stacks = {{"mine", "lib", kByHeuristic, kOwnKernels, kBySearch}};
  KernelPolicy policy;
  policy.stack = "";
  const auto found = kernel_candidates(machine_, test::make_problem(16, 8, 16), {kDense}, policy);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kernel.config.name, "mine");
  EXPECT_EQ(found.front().launch.splits, 1);
}

/// Of two kernels, one of which needs twice the instructions.
TEST_F(Library, AHeuristicTakesWhatIsRankedFirstASearchTimesSeveral) {
  entry_.kernel.name = "one";
  LibraryKernel other = entry_;
  other.kernel.name = "other";
  other.kernel.tile_m *= 2;
  machine_.libraries = {{"lib", {other, entry_}}};
  const auto names = [&](const char* choice) {
    machine_.stacks = {{"mine", "lib", choice, kOwnKernels, kBySearch}};
    KernelPolicy policy;
    policy.stack = "mine";
    std::vector<std::string> found;
    for (const auto& one :
         kernel_candidates(machine_, test::make_problem(16, 8, 16), {kDense}, policy)) {
      found.push_back(one.kernel.config.name);
    }
    return found;
  };
  EXPECT_EQ(names(kByHeuristic), std::vector<std::string>{"one"});
  EXPECT_EQ(names(kBySearch), (std::vector<std::string>{"one", "other"}));
}

/// Five CTAs: four at a time leave one, which alone is done in a quarter of a wave. Who counts it
/// as a whole wave takes the kernel that runs them one by one.
TEST_F(Library, WhoCountsWholeWavesTakesAnotherKernel) {
  AcceleratorConfig& hardware = machine_.accelerator;
  hardware.memory_bus.sm_read_bytes_per_clk = hardware.l2_cache.read_bytes_per_clk = 4096;
  hardware.dram.bytes_per_clk = hardware.sm.shared_memory.fill_bytes_per_clk = 4096;
  hardware.sm.shared_memory.banks = 1024;
  test::remove_latencies(machine_);
  entry_.kernel.stages = 8;
  entry_.kernel.name = "together";
  LibraryKernel one_by_one = entry_;
  one_by_one.kernel.name = "one_by_one";
  one_by_one.kernel.max_ctas_per_sm = 1;
  machine_.libraries = {{"lib", {one_by_one, entry_}}};
  const auto taken = [&](const char* choice) {
    machine_.stacks = {{"mine", "lib", choice, kOwnKernels, kBySearch}};
    const GemmProblem problem = test::make_problem(5 * 16, 8, 16000);
    return kernel_candidates(machine_, problem, {kDense}, {"auto", {}, "mine"}).front().kernel;
  };
  EXPECT_EQ(taken(kByHeuristic).config.name, "together");
  EXPECT_EQ(taken(kByWholeWaves).config.name, "one_by_one");
}

TEST_F(Library, TheFirstStackIsTheDefaultAndBestIsThereAlways) {
  EXPECT_EQ(stack_named(machine_, "").name, kBestStack);
  machine_.stacks = {{"a", kOwnKernels, kByHeuristic, kOwnKernels, kBySearch},
                     {"b", kOwnKernels, kBySearch, kOwnKernels, kBySearch}};
  EXPECT_EQ(stack_named(machine_, "").name, "a");
  EXPECT_EQ(stack_named(machine_, "b").name, "b");
  EXPECT_EQ(stack_named(machine_, kBestStack).dense, kOwnKernels);
  EXPECT_EQ(machine_.stack_names(), (std::vector<std::string>{"a", "b", "best"}));
  EXPECT_EQ(describe(stack_named(machine_, "")),
            "a (dense kernels by heuristic, sparse kernels by search)");
}

TEST_F(Library, AnUnknownStackIsNamedWithThoseThereAre) {
  const auto complaint = [&] {
    try {
      static_cast<void>(stack_named(machine_, "blas"));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(complaint(), "error: tiny has no stack 'blas', must be one of best");
  machine_.stacks = {{"a", kOwnKernels, kBySearch, kOwnKernels, kBySearch}};
  EXPECT_EQ(complaint(), "error: tiny has no stack 'blas', must be one of a, best");
}

}  // namespace
}  // namespace stcsim
