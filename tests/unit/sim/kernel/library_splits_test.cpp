#include <cstdint>

#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "sim/kernel/kernel_choice.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kSms = 8;
constexpr std::int64_t kLongK = 65536;

/// Eight SMs with a memory that is never in the way, and a library of one kernel with tiles of 16 x
/// 8, one per SM. Slices are as good as they are many where SMs would idle.
class LibrarySplits : public testing::Test {
 protected:
  LibrarySplits() : machine_(test::tiny_machine()) {
    machine_.accelerator.num_sms = kSms;
    machine_.accelerator.l2_cache.read_bytes_per_clk = 4096;
    machine_.accelerator.dram.bytes_per_clk = 4096;
    machine_.split_k = {1, 2, 4, 8};
    entry_.kernel = machine_.kernels.front();
    entry_.kernel.max_ctas_per_sm = 1;
    entry_.splits_k = true;
  }
  [[nodiscard]] std::int64_t splits(std::int64_t tiles, std::int64_t k = kLongK) {
    machine_.libraries = {{"lib", {entry_}}};
    machine_.stacks = {{"mine", "lib", kByHeuristic, kOwnKernels, kBySearch}};
    const GemmProblem problem = test::make_problem(16 * tiles, 8, k);
    return kernel_candidates(machine_, problem, {kDense}, {"auto", {}, "mine"})
        .front()
        .launch.splits;
  }

  MachineConfig machine_;
  LibraryKernel entry_;
};

TEST_F(LibrarySplits, AreForKernelsThatSplit) {
  EXPECT_EQ(splits(1), 8);
  entry_.splits_k = false;
  EXPECT_EQ(splits(1), 1);
}

TEST_F(LibrarySplits, AreAtLeastSoLong) {
  entry_.min_k_per_split = kLongK / 8;
  EXPECT_EQ(splits(1), 8);
  EXPECT_EQ(splits(1, kLongK - 1), 4);
  entry_.min_k_per_split = kLongK / 4 + 1;
  EXPECT_EQ(splits(1), 2);
  entry_.min_k_per_split = kLongK;
  EXPECT_EQ(splits(1), 1);
}

TEST_F(LibrarySplits, AreAtMostSoMany) {
  for (const auto& [most, expected] : {std::pair{8, 8}, {7, 4}, {4, 4}, {3, 2}, {1, 1}}) {
    entry_.most_splits = most;
    EXPECT_EQ(splits(1), expected) << most;
  }
}

/// Nine tiles are two waves, or nine eighths of one.
TEST_F(LibrarySplits, AreForGridsThatLeaveSmsIdleAndForLongReductions) {
  EXPECT_GT(splits(kSms - 1), 1);
  EXPECT_EQ(splits(kSms + 1), 1);
  entry_.splits_any_grid_from_k = kLongK + 1;
  EXPECT_EQ(splits(kSms + 1), 1);
  entry_.splits_any_grid_from_k = kLongK;
  EXPECT_EQ(splits(kSms + 1), 8);
}

/// Eight SMs of one CTA each: nine tiles fill two waves as one slice, three as two.
TEST_F(LibrarySplits, FillWaves) {
  entry_.fills_waves = 1;
  for (const auto& [tiles, expected] : {std::pair{1, 8}, {2, 4}, {3, 2}, {4, 2}, {5, 1}, {8, 1}}) {
    EXPECT_EQ(splits(tiles), expected) << tiles;
  }
  EXPECT_EQ(splits(9), 1);
  entry_.fills_waves = 9;
  EXPECT_EQ(splits(9), 8);
  EXPECT_EQ(splits(3), 2);
  entry_.most_splits = 7;
  EXPECT_EQ(splits(1), 7);
  entry_.min_k_per_split = kLongK / 3;
  EXPECT_EQ(splits(1), 3);
  entry_.splits_k = false;
  EXPECT_EQ(splits(1), 1);
}

/// The wgrad of a 3x3 convolution of ResNet-50's first stage, batch 256: few tiles, a long K.
TEST(ShippedStacks, CutTheReductionOfASparseWgrad) {
  GemmProblem problem = test::make_problem(64, 576, 802'816);
  problem.a_pattern = {2, 4};
  for (const char* const name : {"a100", "rtx3090", "rtx4090", "h100_sxm", "h100_pcie"}) {
    const MachineConfig machine = load_machine(name).config;
    const auto candidates =
        kernel_candidates(machine, problem, {problem.a_pattern}, {"auto", {}, ""});
    EXPECT_GE(candidates.front().launch.splits, 5) << name;
  }
}

}  // namespace
}  // namespace stcsim
