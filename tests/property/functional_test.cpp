#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/functional/compressed_matrix.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::int64_t kTileM = 32;
constexpr std::int64_t kTileN = 16;

/// Two SMs of two sub-cores; several warps and two instructions per warp and group, so that values
/// travel over every unit. Hardware pattern `native`.
MachineConfig machine_for(Pattern native) {
  MachineConfig machine = test::tiny_machine();
  AcceleratorConfig& hardware = machine.accelerator;
  hardware.num_sms = 2;
  hardware.sm.sub_cores = 2;
  hardware.sm.shared_memory = {1 << 20, 1 << 19, 1024, 32, 4, 128, 20, 5};
  hardware.sm.tensor_core.same_warp_bubble = Millicycles(1000);
  hardware.sm.operand_selector.native_patterns = {native};
  machine.stacks = {{"kept_sparse", kOwnKernels, kBySearch, kOwnKernels, kBySearch}};
  machine.kernels = {test::make_kernel("dense", false, kTileM, kTileN, 32, 3, 2, 1),
                     test::make_kernel("sparse", true, kTileM, kTileN, 64, 3, 2, 1)};
  return machine;
}

FunctionalRun run(MachineRunner& runner, const GemmProblem& problem,
                  std::optional<std::int64_t> flipped_bit = std::nullopt) {
  KernelPolicy policy;
  policy.stack = "kept_sparse";
  return run_gemm_with_values(runner, problem, policy, {}, {kSeed, flipped_bit});
}

void expect_correct(MachineRunner& runner, const GemmProblem& problem, Pattern hardware) {
  SCOPED_TRACE(testing::Message() << problem.m << "x" << problem.n << "x" << problem.k << " batch "
                                  << problem.batch_count << " " << to_string(problem.dtype) << " "
                                  << problem.a_pattern.to_string() << ", seed " << kSeed);
  const FunctionalRun result = run(runner, problem);
  EXPECT_EQ(result.run.hardware_pattern, hardware);
  EXPECT_EQ(result.check.elements, hardware.is_dense() ? problem.m * problem.n * problem.batch_count
                                                       : test::wanted_elements(problem));
  EXPECT_EQ(result.check.mismatches, 0) << result.check.first_mismatch;
}

/// Sizes around the tile and primes, along every axis.
void expect_correct_at_edges(MachineRunner& runner, Pattern pattern, Pattern hardware,
                             std::int64_t tile_k, DataType type = DataType::fp16) {
  for (const std::int64_t m : {std::int64_t{1}, kTileM - 1, kTileM, kTileM + 1, std::int64_t{67}}) {
    for (const std::int64_t n : {std::int64_t{1}, kTileN - 1, kTileN, kTileN + 1}) {
      for (const std::int64_t k :
           {std::int64_t{1}, tile_k - 1, tile_k, tile_k + 1, std::int64_t{131}}) {
        expect_correct(runner, test::make_problem(m, n, k, 1, type, pattern), hardware);
      }
    }
  }
}

TEST(Functional, DenseEdgeSizes) {
  MachineRunner runner(machine_for({2, 4}));
  expect_correct_at_edges(runner, kDense, kDense, 32);
}

TEST(Functional, SparseEdgeSizes) {
  MachineRunner runner(machine_for({2, 4}));
  expect_correct_at_edges(runner, {2, 4}, {2, 4}, 64);
}

TEST(Functional, OutputsAtEdgeSizes) {
  MachineRunner runner(machine_for(test::outputs(2, 4)));
  expect_correct_at_edges(runner, test::outputs(2, 4), test::outputs(2, 4), 32);
  expect_correct(runner, test::make_problem(33, 29, 200, 3, DataType::int8, test::outputs(1, 4)),
                 test::outputs(2, 4));
  expect_correct(runner, test::make_problem(33, 29, 200, 1, DataType::fp16, {2, 4}), kDense);
}

TEST(Functional, NibblesAtEdgeSizes) {
  MachineRunner runner(machine_for({4, 8, 2}));
  expect_correct_at_edges(runner, kDense, kDense, 128, DataType::int4);
}

TEST(Functional, PairsOfNibblesAtEdgeSizes) {
  MachineRunner runner(machine_for({4, 8, 2}));
  expect_correct_at_edges(runner, {4, 8, 2}, {4, 8, 2}, 256, DataType::int4);
}

TEST(Functional, BlocksOfFourBitNumbersAtEdgeSizes) {
  MachineRunner runner(machine_for({4, 8, 2}));
  expect_correct_at_edges(runner, kDense, kDense, 128, DataType::nvfp4);
  expect_correct_at_edges(runner, {4, 8, 2}, {4, 8, 2}, 256, DataType::nvfp4);
}

TEST(Functional, PatternsOnHardwareForPairs) {
  MachineRunner runner(machine_for({4, 8, 2}));
  for (const Pattern pattern : {Pattern{1, 4}, Pattern{2, 8}, Pattern{2, 4, 2}}) {
    expect_correct(runner, test::make_problem(45, 29, 200, 1, DataType::int4, pattern), {4, 8, 2});
  }
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 2}, Pattern{4, 8}}) {
    expect_correct(runner, test::make_problem(45, 29, 200, 1, DataType::int4, pattern), kDense);
  }
}

TEST(Functional, PatternsInsideTwoOfFourRunSparse) {
  MachineRunner runner(machine_for({2, 4}));
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 2}, Pattern{1, 4}, Pattern{2, 8}}) {
    expect_correct(runner, test::make_problem(45, 29, 200, 1, DataType::fp16, pattern), {2, 4});
  }
}

TEST(Functional, PatternsOutsideTwoOfFourRunDense) {
  MachineRunner runner(machine_for({2, 4}));
  for (const Pattern pattern : {Pattern{4, 8}, Pattern{4, 32}, Pattern{3, 4}}) {
    expect_correct(runner, test::make_problem(45, 29, 200, 1, DataType::fp16, pattern), kDense);
  }
}

/// Machines that do not exist: each has one native pattern.
TEST(Functional, NativePatternsOfOtherMachines) {
  const std::vector<Pattern> natives{{4, 8}, {1, 8},  {4, 32},   {2, 8},
                                     {1, 2}, {2, 16}, {4, 8, 2}, {4, 32, 2}};
  std::vector<std::unique_ptr<MachineRunner>> runners;
  for (const Pattern native : natives) {
    runners.push_back(std::make_unique<MachineRunner>(machine_for(native)));
  }
  for (std::size_t at = 0; at < natives.size(); ++at) {
    for (const std::int64_t k : {1, 131, 256, 512}) {
      expect_correct(*runners[at], test::make_problem(33, 17, k, 1, DataType::fp16, natives[at]),
                     natives[at]);
    }
  }
}

TEST(Functional, EveryTypeAndLayout) {
  MachineRunner runner(machine_for({2, 4}));
  for (const DataType type : operand_data_types()) {
    for (const Pattern pattern : {kDense, Pattern{2, 4}}) {
      for (const auto layout : {OperandLayout::k_major, OperandLayout::mn_major}) {
        GemmProblem problem = test::make_problem(37, 19, 150, 1, type, pattern);
        problem.a_layout = layout;
        expect_correct(runner, problem, pattern);
        problem.b_layout = OperandLayout::mn_major;
        problem.c_layout = OutputLayout::column_major;
        expect_correct(runner, problem, pattern);
      }
    }
  }
}

TEST(Functional, Batches) {
  MachineRunner runner(machine_for({2, 4}));
  expect_correct(runner, test::make_problem(37, 19, 70, 5), kDense);
  expect_correct(runner, test::make_problem(37, 19, 70, 5, DataType::fp16, {2, 4}), {2, 4});
}

TEST(Functional, SplitK) {
  MachineConfig machine = machine_for({2, 4});
  machine.split_k = {3};
  MachineRunner runner(machine);
  for (const DataType type : {DataType::fp16, DataType::tf32, DataType::int8}) {
    for (const std::int64_t k : {400, 431}) {
      for (const Pattern pattern : {kDense, Pattern{2, 4}}) {
        const GemmProblem problem = test::make_problem(33, 20, k, 2, type, pattern);
        expect_correct(runner, problem, pattern);
        EXPECT_EQ(run(runner, problem).run.result.kernel.split_k, 3);
      }
    }
  }
}

/// Each bit of the first group's metadata says which value of B the first kept value meets.
TEST(Functional, AFlippedMetadataBitShows) {
  MachineRunner runner(machine_for({2, 4}));
  const GemmProblem problem = test::make_problem(33, 20, 128, 1, DataType::fp16, {2, 4});
  for (const std::int64_t bit : {0, 1, 2, 3}) {
    const FunctionalCheck check = run(runner, problem, bit).check;
    EXPECT_GT(check.mismatches, 0) << "bit " << bit << ", seed " << kSeed;
    EXPECT_LE(check.mismatches, problem.n) << "only row 0 may change";
    EXPECT_NE(check.first_mismatch, "");
  }
  EXPECT_EQ(run(runner, problem).check.mismatches, 0);
}

/// Here each bit says which pair of values of B the first kept pair meets.
TEST(Functional, AFlippedMetadataBitOfPairsShows) {
  MachineRunner runner(machine_for({4, 8, 2}));
  const GemmProblem problem = test::make_problem(33, 20, 128, 1, DataType::int4, {4, 8, 2});
  for (const std::int64_t bit : {0, 1, 2, 3}) {
    const FunctionalCheck check = run(runner, problem, bit).check;
    EXPECT_GT(check.mismatches, 0) << "bit " << bit << ", seed " << kSeed;
    EXPECT_LE(check.mismatches, problem.n) << "only row 0 may change";
  }
}

/// Each has a part of the tile's mask.
TEST(Functional, OutputsOfWarpsSideBySide) {
  MachineConfig machine = machine_for(test::outputs(2, 4));
  machine.kernels = {test::make_kernel("wide", false, 32, 64, 32, 3, 1, 2)};
  MachineRunner runner(machine);
  for (const std::int64_t n : {64, 65, 131}) {
    expect_correct(runner, test::make_problem(45, n, 100, 2, DataType::fp16, test::outputs(2, 4)),
                   test::outputs(2, 4));
  }
}

/// Where a mask says another column, what it wants is missing.
TEST(Functional, AFlippedBitOfAMaskShows) {
  MachineRunner runner(machine_for(test::outputs(2, 4)));
  const GemmProblem problem =
      test::make_problem(33, 20, 64, 1, DataType::fp16, test::outputs(2, 4));
  for (const std::int64_t bit : {0, 3, 17, 659}) {
    EXPECT_GT(run(runner, problem, bit).check.mismatches, 0) << "bit " << bit;
  }
}

TEST(Functional, ThereHasToBeABitToFlip) {
  MachineRunner runner(machine_for({2, 4}));
  EXPECT_THROW((void)run(runner, test::make_problem(4, 4, 16), 0), std::runtime_error);
}

/// What the bus carries is what the values are laid out in: rows of A, step by step, as the
/// compressed matrix holds them.
TEST(Functional, TheBusCarriesTheBytesOfTheCompressedOperand) {
  for (const auto& [pattern, type] :
       {std::pair(Pattern{2, 4}, DataType::fp16), std::pair(Pattern{1, 8}, DataType::fp16),
        std::pair(Pattern{4, 32}, DataType::fp16), std::pair(Pattern{4, 8, 2}, DataType::int4)}) {
    const GemmProblem problem = test::make_problem(37, 16, 192, 1, type, pattern);
    const CompressedMatrix compressed = compress(make_a_tensor(problem), 0, pattern);
    std::int64_t values = 0;
    std::int64_t metadata_bits = 0;
    for (std::int64_t row = 0; row < problem.m; ++row) {
      values += std::ssize(compressed.row_values(row));
      metadata_bits += compressed.groups_per_row() * pattern.metadata_bits_per_group();
    }
    MachineConfig machine = machine_for(pattern);
    std::string why_not;
    const auto kernel = fit_kernel(machine, machine.kernels[1], problem.dtype, pattern, why_not);
    ASSERT_TRUE(kernel) << why_not;
    const KernelLaunch launch = gemm_launch(machine, *kernel, problem, 1);
    std::int64_t a_bytes = 0;
    std::int64_t metadata_bytes = 0;
    for (std::int64_t step = 0; step < launch.k_steps; ++step) {
      for (std::int64_t strip = 0; strip < launch.a.strips; ++strip) {
        a_bytes += launch.a.bytes(strip, step == launch.k_steps - 1);
        metadata_bytes += launch.metadata.bytes(strip, step == launch.k_steps - 1);
      }
    }
    EXPECT_EQ(a_bytes, bytes_of(problem.dtype, values)) << pattern.to_string();
    EXPECT_EQ(metadata_bytes * 8, metadata_bits) << pattern.to_string();
  }
}

}  // namespace
}  // namespace stcsim
