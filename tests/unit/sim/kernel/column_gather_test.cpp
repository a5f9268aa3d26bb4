#include "sim/kernel/column_gather.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/kernel_estimate.hpp"
#include "sim/run/gemm_run.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

GemmProblem in_columns(std::int64_t m, std::int64_t n, std::int64_t k, Pattern pattern) {
  return test::make_problem(m, n, k, 1, DataType::fp16, pattern);
}

/// V:2:m.
Pattern columns(std::int64_t block_rows, std::int64_t group) {
  return {2, group, 1, 0, block_rows};
}

/// The tiny machine with no kernel but a sparse one of 16x8x32 and a dense one; the former gathers.
MachineConfig gathering() {
  MachineConfig machine = test::tiny_machine();
  machine.kernels.erase(machine.kernels.begin() + 1);
  machine.kernels.back().column_index_bytes = 4;
  return machine;
}

KernelLaunch gathered(const GemmProblem& problem, std::int64_t tile_m = 16) {
  const MachineConfig machine = gathering();
  KernelConfig config = machine.kernels.back();
  config.tile_m = tile_m;
  std::string why_not;
  const auto kernel = fit_kernel(machine, config, problem.dtype, {2, 4}, why_not);
  return gemm_launch(machine, kernel.value(), problem, 1);
}

/// Rows of B in a group of `group` that `blocks` blocks choose in the mean: of all ways to choose.
double mean_union(std::int64_t group, std::int64_t blocks) {
  std::vector<double> ways(std::size_t{1} << group, 0.0);  // by the set that is chosen
  ways[0] = 1;
  for (std::int64_t block = 0; block < blocks; ++block) {
    std::vector<double> next(ways.size(), 0.0);
    for (std::size_t before = 0; before < ways.size(); ++before) {
      for (std::size_t more = 0; more < ways.size(); ++more) {
        if (std::popcount(more) == 4) next[before | more] += ways[before];
      }
    }
    ways = next;
  }
  double sum = 0;
  for (std::size_t set = 0; set < ways.size(); ++set) sum += ways[set] * std::popcount(set);
  return sum / std::accumulate(ways.begin(), ways.end(), 0.0);
}

TEST(ColumnGather, NeedsAKernelAndTilesInsideABlock) {
  const KernelConfig config = gathering().kernels.back();
  const GemmProblem problem = in_columns(32, 8, 80, columns(32, 10));
  EXPECT_TRUE(gathers_columns(config, {2, 4}, problem));
  EXPECT_TRUE(gathers_columns(config, {4, 8}, problem));
  EXPECT_FALSE(gathers_columns(config, {1, 4}, problem));
  EXPECT_FALSE(gathers_columns(config, kDense, problem));
  EXPECT_FALSE(gathers_columns(config, {2, 4}, in_columns(32, 8, 80, {2, 4})));
  EXPECT_FALSE(gathers_columns(config, {2, 4}, in_columns(32, 8, 80, columns(24, 10))));
  EXPECT_FALSE(gathers_columns(config, {2, 4}, in_columns(32, 8, 80, columns(8, 10))));
  KernelConfig plain = config;
  plain.column_index_bytes = 0;
  EXPECT_FALSE(gathers_columns(plain, {2, 4}, problem));
  EXPECT_FALSE(may_run(plain, {2, 4}, problem));
  EXPECT_TRUE(may_run(plain, kDense, problem));
  EXPECT_TRUE(may_run(plain, {2, 4}, in_columns(32, 8, 80, columns(32, 8))));  // as 2:8
}

/// 75 of K in groups of 10 are 8 groups, the last of them 5 columns wide.
TEST(ColumnGather, MultipliesTheSelectedColumnsOnly) {
  const KernelLaunch launch = gathered(in_columns(40, 20, 75, columns(16, 10)));
  EXPECT_EQ(launch.k, 32);
  EXPECT_EQ(launch.k_steps, 1);
  EXPECT_EQ(launch.tiles_m, 3);
  EXPECT_EQ(launch.edge_m, 8);
  EXPECT_EQ(launch.b.row_bytes, 64);
  EXPECT_EQ(gathered(in_columns(40, 20, 81, columns(16, 10))).k, 36);
  EXPECT_EQ(gathered(in_columns(40, 20, 81, columns(16, 10))).k_steps, 2);
  EXPECT_EQ(gathered(in_columns(40, 20, 3, columns(16, 10))).k, 4);
}

/// 72 rows in blocks of 32 are two whole blocks and one of 8 rows, with two tiles each at most.
TEST(ColumnGather, EveryBlockHasItsOwnStripsOfBAndIndices) {
  const KernelLaunch launch = gathered(in_columns(72, 20, 75, columns(32, 10)));
  EXPECT_TRUE(launch.gathers());
  EXPECT_EQ(launch.operands().size(), 4U);
  EXPECT_EQ(launch.tiles_per_block, 2);
  EXPECT_EQ(launch.b.strips, 3);
  EXPECT_EQ(launch.b.distinct_strips, 9);
  EXPECT_EQ(launch.column_indices.strips, 3);
  EXPECT_EQ(launch.column_indices.bytes(0, false), 32 * 4);
  const auto b_of = [&](std::int64_t tile_m, std::int64_t tile_n) {
    return launch.distinct_strip(Operand::b, {0, 0, tile_m, tile_n, 0});
  };
  EXPECT_EQ(b_of(0, 2), b_of(1, 2));
  EXPECT_NE(b_of(1, 2), b_of(2, 2));
  EXPECT_EQ(b_of(4, 2), 8);
  EXPECT_EQ(launch.strip_of(Operand::b, 8), 2);
  EXPECT_EQ(launch.strip_of(Operand::b, 7), 1);
  EXPECT_EQ(launch.strip(Operand::column_indices, {0, 0, 3, 0, 0}), 1);
  EXPECT_EQ(launch.strip(Operand::column_indices, {0, 0, 4, 0, 0}), 2);
}

/// The last strip of B has 4 columns, in every block.
TEST(ColumnGather, EveryBlocksLastStripIsTheEdge) {
  const KernelLaunch launch = gathered(in_columns(32, 20, 80, columns(16, 20)));
  ASSERT_EQ(launch.b.distinct_strips, 6);
  const std::int64_t distinct = launch.b.distinct_per_1024;
  for (const std::int64_t strip : {2, 5}) {
    EXPECT_EQ(launch.fill_bytes(Operand::b, strip, 0), 4 * 16 * 2 * distinct / 1024) << strip;
  }
  for (const std::int64_t strip : {0, 1, 3, 4}) {
    EXPECT_EQ(launch.fill_bytes(Operand::b, strip, 0), 8 * 16 * 2 * distinct / 1024) << strip;
  }
}

TEST(ColumnGather, RowsThatSeveralBlocksChooseAreReadOnce) {
  for (const std::int64_t group : {5, 7, 10}) {
    for (const std::int64_t blocks : {1, 2, 3}) {
      const GemmProblem problem = in_columns(16 * blocks, 8, 6 * group, columns(16, group));
      const double share = mean_union(group, blocks) / static_cast<double>(4 * blocks);
      EXPECT_EQ(distinct_rows_per_1024(problem), std::llround(share * 1024)) << group << blocks;
    }
  }
}

/// 12 columns in groups of 10: of the last two, both are chosen by everybody.
TEST(ColumnGather, AShortLastGroupHasFewRowsToChooseFrom) {
  const GemmProblem problem = in_columns(32, 8, 12, columns(16, 10));
  EXPECT_EQ(distinct_rows_per_1024(problem),
            std::llround((mean_union(10, 2) + 2) / (2 * 8) * 1024));
}

TEST(ColumnGather, OneBlockReadsWhatItSelects) {
  const KernelLaunch launch = gathered(in_columns(16, 8, 160, columns(16, 20)));
  EXPECT_EQ(launch.b.distinct_per_1024, 1024);
  EXPECT_EQ(launch.distinct_bytes(Operand::b), 8 * 32 * 2);
}

/// 130 of the L2 cache, 20 of shared memory, 128 bytes at 64 a clock; the barrier takes nothing.
TEST(ColumnGather, TheFirstIndicesAreWaitedFor) {
  EXPECT_EQ(gathered(in_columns(16, 8, 80, columns(16, 10))).index_wait, Cycles(130 + 20 + 2));
  MachineConfig machine = gathering();
  machine.kernels.back().column_indices_at_a_time = 16;
  std::string why_not;
  const auto kernel = fit_kernel(machine, machine.kernels.back(), DataType::fp16, {2, 4}, why_not);
  EXPECT_EQ(gemm_launch(machine, *kernel, in_columns(16, 8, 80, columns(16, 10)), 1).index_wait,
            Cycles(130 + 20 + 1));
}

TEST(ColumnGather, IndicesTakeSharedMemory) {
  const MachineConfig machine = gathering();
  KernelConfig plain = machine.kernels.back();
  plain.column_index_bytes = 0;
  std::string why_not;
  const auto with = fit_kernel(machine, machine.kernels.back(), DataType::fp16, {2, 4}, why_not);
  const auto without = fit_kernel(machine, plain, DataType::fp16, {2, 4}, why_not);
  EXPECT_EQ(with->shared_memory_bytes, without->shared_memory_bytes + 2 * 512 * 4);
}

/// Any alignment of K will do; B is read along N.
TEST(ColumnGather, AccessesAreAsWideAsRowsOfBAllow) {
  EXPECT_EQ(gathered(in_columns(16, 8, 75, columns(16, 10))).b.access_bytes, 16);
  EXPECT_EQ(gathered(in_columns(16, 8, 75, columns(16, 10))).a.access_bytes, 16);
  EXPECT_EQ(gathered(in_columns(16, 9, 75, columns(16, 10))).b.access_bytes, 2);
}

/// What all CTAs together bring in, if the cache keeps it, is every operand once.
TEST(ColumnGather, TheEstimateReadsEveryStripOnce) {
  MachineConfig machine = gathering();
  machine.accelerator.num_sms = 3;
  const KernelLaunch launch = gathered(in_columns(64, 32, 80, columns(32, 10)));
  const std::vector<double> reads = estimate_dram_reads(machine, launch);
  double bytes = 0;
  for (const Operand operand : launch.operands()) {
    for (std::int64_t strip = 0; strip < launch.stream(operand).distinct_strips; ++strip) {
      bytes += static_cast<double>(launch.fill_bytes(operand, strip, 0));
    }
  }
  EXPECT_EQ(std::accumulate(reads.begin(), reads.end(), 0.0), bytes);
}

/// Sparse or dense as the problem is, whatever is faster.
GemmRun run(MachineRunner& runner, const GemmProblem& problem) {
  return run_gemm(runner, problem, {problem.a_pattern.is_dense() ? "dense" : "sparse", 1});
}

/// One block reads what it selects, whatever the columns between: 8 groups of 10, of 20, of 100.
TEST(ColumnGatherRun, WhatIsNotSelectedCostsOneBlockNothing) {
  MachineRunner machine(gathering());
  const LaunchResult result = run(machine, in_columns(16, 32, 80, columns(16, 10))).result;
  EXPECT_EQ(run(machine, in_columns(16, 32, 160, columns(16, 20))).result, result);
  EXPECT_EQ(run(machine, in_columns(16, 32, 800, columns(16, 100))).result, result);
  EXPECT_EQ(run(machine, in_columns(16, 32, 71, columns(16, 10))).result, result);
  EXPECT_EQ(run(machine, in_columns(16, 32, 80, columns(64, 10))).result, result);
}

/// One CTA of the same steps, later by the wait for indices.
TEST(ColumnGatherRun, TakesAsLongAsTheSelectedColumnsAndTheWaitForIndices) {
  MachineRunner machine(gathering());
  for (const std::int64_t groups : {8, 16, 40}) {
    const std::int64_t plain = run(machine, in_columns(16, 8, 4 * groups, {2, 4})).result.cycles;
    const std::int64_t cycles =
        run(machine, in_columns(16, 8, 10 * groups, columns(16, 10))).result.cycles;
    EXPECT_GE(cycles, plain + 130 + 20 + 2) << groups;
    EXPECT_LT(cycles,
              run(machine, in_columns(16, 8, 10 * groups, kDense)).result.cycles + 130 + 20 + 8)
        << groups;
  }
}

/// Metadata of 2:4 are 4 bits for four columns, in whole bytes per row and k-step; an index is 4
/// bytes, for all rows of a tile. 36 columns are k-steps of 32 and of 4. CTAs of 3 x 2 tiles, the
/// last of 8 rows.
TEST(ColumnGatherRun, IndicesAreCountedAmongTheMetadata) {
  MachineRunner machine(gathering());
  const GemmRun of = run(machine, in_columns(40, 16, 81, columns(16, 10)));
  EXPECT_EQ(of.hardware_pattern, (Pattern{2, 4}));
  EXPECT_EQ(of.result.count("metadata_bytes"), 2 * (40 * (4 + 1) + 3 * 36 * 4));
}

/// More blocks choose more rows of B: all but what they have in common comes from DRAM.
TEST(ColumnGatherRun, BlocksReadWhatTheyHaveInCommonOnce) {
  MachineRunner machine(gathering());
  const auto read = [&](Pattern pattern) {
    return run(machine, in_columns(64, 64, 1600, pattern)).result.count("dram_read_bytes");
  };
  EXPECT_LT(read(columns(64, 20)), read(columns(32, 20)));
  EXPECT_LT(read(columns(32, 20)), read(columns(16, 20)));
  EXPECT_LT(read(columns(16, 20)), read(columns(16, 10)));
}

/// As it would without columns that are selected.
TEST(ColumnGatherRun, WithoutAKernelForItRunsDenseAndSaysWhy) {
  MachineRunner machine(test::tiny_machine());
  const auto automatic = [&](Pattern pattern) {
    return run_gemm(machine, in_columns(16, 8, 80, pattern), {"auto", 1});
  };
  EXPECT_EQ(automatic(columns(16, 10)).hardware_pattern, kDense);
  EXPECT_FALSE(automatic(columns(16, 10)).gathers);
  EXPECT_EQ(
      automatic(columns(16, 10)).reason,
      "no kernel of tiny gathers columns in tiles whose rows divide 16; 2:10 does not fit 2:4 "
      "hardware");
  EXPECT_EQ(automatic(columns(16, 10)).result, automatic(kDense).result);
}

/// Short last blocks and groups (of one column, and of three), tiles inside blocks, batches; the
/// reference multiplies all of A and B.
TEST(ColumnGatherValues, AreThoseOfAllColumns) {
  MachineRunner machine(gathering());
  const std::vector<GemmProblem> problems{
      in_columns(16, 8, 80, columns(16, 10)),
      in_columns(40, 20, 81, columns(16, 10)),
      in_columns(72, 9, 143, columns(32, 20)),
      in_columns(33, 17, 3, columns(16, 7)),
      in_columns(20, 8, 500, columns(16, 100)),
      in_columns(20, 8, 64, columns(16, 8)),
      test::make_problem(40, 20, 81, 3, DataType::bf16, columns(16, 10))};
  for (const GemmProblem& problem : problems) {
    const FunctionalRun of = run_gemm_with_values(machine, problem, {"sparse", 1}, {}, {});
    EXPECT_EQ(of.run.hardware_pattern, (Pattern{2, 4}));
    EXPECT_EQ(of.check.elements, problem.m * problem.n * problem.batch_count);
    EXPECT_EQ(of.check.first_mismatch, "") << problem.k;
  }
}

/// K in three parts, each of whole k-steps of selected columns.
TEST(ColumnGatherValues, SplitsSumWhatIsTheirs) {
  MachineConfig config = gathering();
  config.split_k = {3};
  MachineRunner machine(config);
  const GemmProblem problem = in_columns(40, 20, 405, columns(16, 10));
  const FunctionalRun of = run_gemm_with_values(machine, problem, {"sparse", 1}, {}, {});
  EXPECT_EQ(of.run.result.kernel.split_k, 3);
  EXPECT_EQ(of.check.first_mismatch, "");
}

TEST(ColumnGatherValues, AWrongBitOfMetadataShows) {
  MachineRunner machine(gathering());
  FunctionalOptions flipped;
  flipped.flip_metadata_bit = 0;
  const GemmProblem problem = in_columns(40, 20, 81, columns(16, 10));
  EXPECT_GT(run_gemm_with_values(machine, problem, {"sparse", 1}, {}, flipped).check.mismatches, 0);
}

TEST(ColumnGatherRun, WhatIsGatheredNeedsNoExplanation) {
  MachineRunner machine(gathering());
  const GemmRun of = run(machine, in_columns(16, 8, 80, columns(16, 10)));
  EXPECT_EQ(of.hardware_pattern, (Pattern{2, 4}));
  EXPECT_TRUE(of.gathers);
  EXPECT_EQ(of.reason, "");
}

}  // namespace
}  // namespace stcsim
