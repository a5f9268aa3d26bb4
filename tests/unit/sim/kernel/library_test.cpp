#include "sim/kernel/library.hpp"

#include <algorithm>
#include <set>
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
  entry_.min_n = 5;
  EXPECT_TRUE(considered(test::make_problem(64, 5, 16)));
  EXPECT_FALSE(considered(test::make_problem(64, 4, 16)));
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

/// Dense kernels by search are what it searches itself, unless it may run sparse as well.
TEST_F(Library, BestHasEverySideOfEveryStackOnce) {
  machine_.libraries = {{"lib", {entry_}}, {"other", {entry_}}};
  machine_.stacks = {{"a", "lib", kByHeuristic, kOwnKernels, kBySearch},
                     {"b", "lib", kBySearch, kOwnKernels, kBySearch},
                     {"c", "lib", kByHeuristic, "other", kByHeuristic},
                     {"d", kOwnKernels, kBySearch, "other", kByHeuristic}};
  GemmProblem problem = test::make_problem(16, 8, 16);
  const auto sides = [&](const std::vector<Pattern>& hardware) {
    std::string text;
    for (const auto& [stack, patterns] : sides_of_stacks(machine_, problem, hardware)) {
      text += stack + (patterns.front().is_dense() ? " dense " : " sparse ");
      EXPECT_EQ(patterns.size(), patterns.front().is_dense() ? 1 : hardware.size() - 1);
    }
    return text;
  };
  EXPECT_EQ(sides({kDense}), "a dense b dense ");
  EXPECT_EQ(sides({{1, 4}, {2, 4}, kDense}), "a sparse c sparse a dense b dense d dense ");
  EXPECT_EQ(sources_of(machine_, kBestStack, problem, kDense),
            (std::vector<std::string>{"kernels", "lib"}));
  EXPECT_EQ(sources_of(machine_, kBestStack, problem, {2, 4}),
            (std::vector<std::string>{"kernels", "other"}));
  EXPECT_EQ(sources_of(machine_, "c", problem, {2, 4}), (std::vector<std::string>{"other"}));
  // A convolution has sides of its own where a stack names a library for it; its 2:4 has not.
  machine_.stacks[1].convolutions = "other";
  machine_.stacks[1].convolutions_choice = kBySearch;
  problem.convolution = ConvolutionPass{Phase::wgrad, 1};
  EXPECT_EQ(sides({kDense}), "a dense b dense ");
  EXPECT_EQ(sources_of(machine_, "b", problem, kDense), (std::vector<std::string>{"other"}));
  EXPECT_EQ(sources_of(machine_, "a", problem, kDense), (std::vector<std::string>{"lib"}));
  EXPECT_EQ(sources_of(machine_, "b", problem, {2, 4}), (std::vector<std::string>{"kernels"}));
  EXPECT_EQ(describe(machine_.stacks[1]),
            "b (dense lib by search, sparse kernels by search, convolutions other by search)");
  EXPECT_EQ(describe(stack_named(machine_, kBestStack)), "best (all kernels by search)");
}

/// Its own list, then the library by its rule and by search, one kernel of each.
TEST_F(Library, BestSimulatesWhatEveryStackDoes) {
  entry_.kernel.name = "one";
  LibraryKernel other = entry_;
  other.kernel.name = "other";
  other.kernel.tile_m *= 2;
  machine_.libraries = {{"lib", {other, entry_}}};
  machine_.stacks = {{"rule", "lib", kByHeuristic, kOwnKernels, kBySearch},
                     {"search", "lib", kBySearch, kOwnKernels, kBySearch}};
  const KernelRanking best =
      rank_kernels(machine_, test::make_problem(16, 8, 16), {kDense}, {"auto", 1, kBestStack});
  std::vector<std::string> names;
  for (const KernelCandidate& one : best.candidates) names.push_back(one.kernel.config.name);
  EXPECT_EQ(names, (std::vector<std::string>{"dense", "one", "one"}));
  EXPECT_EQ(best.of_stacks, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(best.is_search);
  std::set<std::string> left_out;
  for (const KernelCandidate& one : best.left_out) left_out.insert(one.kernel.config.name);
  EXPECT_EQ(left_out, (std::set<std::string>{"dense_s1", "other"}));
  EXPECT_TRUE(std::is_sorted(best.left_out.begin(), best.left_out.end(), is_ranked_before));
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

constexpr Pattern kTwoOfFour{2, 4};

/// Rows of k elements of two bytes: 8 of them make 16 bytes.
TEST(Alignment, IsTheLargestPowerOfTwoInARow) {
  const std::pair<std::int64_t, std::int64_t> by_k[]{{8, 16}, {4096, 16}, {4, 8}, {12, 8},
                                                     {2, 4},  {4094, 4},  {1, 2}, {4095, 2}};
  for (const auto& [k, bytes] : by_k) {
    EXPECT_EQ(access_bytes(test::make_problem(7, 5, k), kDense, false), bytes) << k;
  }
  EXPECT_EQ(access_bytes(test::make_problem(7, 5, 4095, 1, DataType::tf32), kDense, false), 4);
  EXPECT_EQ(access_bytes(test::make_problem(7, 5, 4095, 1, DataType::int8), kDense, false), 1);
}

/// Rows along M and N where the layouts say so; the worse of both operands counts.
TEST(Alignment, FollowsTheLayouts) {
  GemmProblem problem = test::make_problem(24, 4, 4095);
  problem.a_layout = problem.b_layout = OperandLayout::mn_major;
  EXPECT_EQ(access_bytes(problem, kDense, false), 8);
  problem.n = 16;
  EXPECT_EQ(access_bytes(problem, kDense, false), 16);
  problem.a_layout = OperandLayout::k_major;
  EXPECT_EQ(access_bytes(problem, kDense, false), 2);
}

/// A keeps half its row: k = 8 leaves 8 bytes of it.
TEST(Alignment, IsThatOfTheCompressedRow) {
  const GemmProblem problem = test::make_problem(16, 16, 8, 1, DataType::fp16, kTwoOfFour);
  EXPECT_EQ(access_bytes(problem, kDense, false), 16);
  EXPECT_EQ(access_bytes(problem, kTwoOfFour, false), 8);
}

/// Seven by seven taps of three channels: 147 elements, but pixels are padded.
TEST(Alignment, OfAConvolutionIsThatOfPaddedPixels) {
  GemmProblem problem = test::make_problem(64, 1024, 147);
  EXPECT_EQ(access_bytes(problem, kDense, false), 2);
  problem.b.unique_k = 3 * 4;
  EXPECT_EQ(access_bytes(problem, kDense, false), 16);
  // Of wgrad with a stride, and of products whose operands are exchanged, A is gathered.
  std::swap(problem.a, problem.b);
  EXPECT_EQ(access_bytes(problem, kDense, false), 16);
}

/// The library's kernels for any alignment are for rows that need them, the others for the rest.
/// Rows of C, of two bytes an element, lie along N or M as its layout says; operands may be worse.
TEST(Alignment, IsThatOfCForKernelsOfAnyAlignment) {
  GemmProblem problem = test::make_problem(50257, 4096, 768);
  EXPECT_EQ(access_bytes(problem, kDense, true), 16);
  problem.c_layout = OutputLayout::column_major;
  EXPECT_EQ(access_bytes(problem, kDense, false), 16);
  EXPECT_EQ(access_bytes(problem, kDense, true), 2);
  problem.m = 50258;
  EXPECT_EQ(access_bytes(problem, kDense, true), 4);
  problem.k = 767;
  EXPECT_EQ(access_bytes(problem, kDense, true), 2);
}

TEST(Alignment, DecidesWhichKernelsALibraryConsiders) {
  MachineConfig machine = test::tiny_machine();
  LibraryConfig library;
  library.name = "library";
  library.kernels.resize(2);
  for (LibraryKernel& one : library.kernels) one.kernel = machine.kernels.front();
  library.kernels[0].kernel.name = "aligned";
  library.kernels[1].kernel.name = "any";
  library.kernels[1].kernel.any_alignment = true;
  machine.libraries = {library};
  machine.stacks = {{"users", "library", kByHeuristic, kOwnKernels, kBySearch}};
  const auto chosen = [&](std::int64_t k, std::int64_t n = 64) {
    return kernel_candidates(machine, test::make_problem(64, n, k), {kDense}, {"auto", {}, "users"})
        .front()
        .kernel.config.name;
  };
  EXPECT_EQ(chosen(64), "aligned");
  EXPECT_EQ(chosen(63), "any");
  EXPECT_EQ(chosen(64, 63), "any");
  machine.libraries[0].kernels.pop_back();
  EXPECT_EQ(chosen(63), "aligned");
}

}  // namespace
}  // namespace stcsim
