#include "sim/kernel/gemm_kernel.hpp"

#include <gtest/gtest.h>

#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// A 32 x 16 tile of two warps along m.
FittedKernel kernel(const MachineConfig& machine, Pattern hardware, DataType dtype) {
  const KernelConfig config = hardware.is_dense()
                                  ? test::make_kernel("dense", false, 32, 16, 32, 3, 2, 1)
                                  : test::make_kernel("sparse", true, 32, 16, 64, 3, 2, 1);
  std::string why_not;
  return fit_kernel(machine, config, dtype, hardware, why_not).value();
}

KernelLaunch launch_of(const GemmProblem& problem, Pattern hardware = kDense,
                       std::int64_t split_k = 1) {
  const MachineConfig machine = test::tiny_machine();
  return gemm_launch(machine, kernel(machine, hardware, problem.dtype), problem, split_k);
}

TEST(GemmLaunch, CutsTheProblemIntoTilesAndSteps) {
  const KernelLaunch launch = launch_of(test::make_problem(70, 33, 100, 3));
  EXPECT_EQ(launch.tiles_m, 3);
  EXPECT_EQ(launch.edge_m, 6);
  EXPECT_EQ(launch.tiles_n, 3);
  EXPECT_EQ(launch.edge_n, 1);
  EXPECT_EQ(launch.k_steps, 4);
  EXPECT_EQ(launch.batch_count, 3);
  EXPECT_EQ(launch.warps, 2);
  EXPECT_EQ(launch.stages, 3);
}

TEST(GemmLaunch, WholeTilesHaveFullEdges) {
  const KernelLaunch launch = launch_of(test::make_problem(64, 32, 64));
  EXPECT_EQ(launch.edge_m, 32);
  EXPECT_EQ(launch.edge_n, 16);
  EXPECT_EQ(launch.a.edge_row_bytes, launch.a.row_bytes);
}

/// 100 = 3 * 32 + 4 elements of 2 bytes.
TEST(GemmLaunch, StreamsCarryValuesOfWholeAndEdgeSteps) {
  const KernelLaunch launch = launch_of(test::make_problem(70, 33, 100));
  EXPECT_EQ(launch.a.row_bytes, 64);
  EXPECT_EQ(launch.a.edge_row_bytes, 8);
  EXPECT_EQ(launch.metadata.strips, 0);
  EXPECT_EQ(launch.operands().size(), 2U);
  EXPECT_EQ(launch.a.strips, 3);
  EXPECT_EQ(launch.a.distinct_strips, 3);
  EXPECT_EQ(launch.a.distinct_slices, 4);
  EXPECT_EQ(launch.b.strips, 3);
  EXPECT_EQ(launch.b.distinct_per_1024, 1024);
}

/// 2:4, k-step 64: 32 kept values and 16 groups of 4 bits a row; the last step has 36 elements, 9
/// groups: 18 values and 5 bytes. B stays dense.
TEST(GemmLaunch, SparseRowsAreCompressedWithMetadata) {
  const KernelLaunch launch =
      launch_of(test::make_problem(70, 33, 100, 1, DataType::fp16, {2, 4}), {2, 4});
  EXPECT_EQ(launch.k_steps, 2);
  EXPECT_EQ(launch.operands().size(), 3U);
  EXPECT_EQ(launch.a.row_bytes, 64);
  EXPECT_EQ(launch.metadata.row_bytes, 8);
  EXPECT_EQ(launch.a.edge_row_bytes, 36);
  EXPECT_EQ(launch.metadata.edge_row_bytes, 5);
  EXPECT_EQ(launch.metadata.rows, launch.a.rows);
  EXPECT_EQ(launch.metadata.distinct_strips, launch.a.distinct_strips);
  EXPECT_EQ(launch.b.row_bytes, 128);
  EXPECT_EQ(launch.b.edge_row_bytes, 72);
}

/// A warp's 16 x 16 are two instructions of k 16, two groups per step; A's fragment is 512 bytes,
/// B's two are 256 each.
TEST(GemmLaunch, WarpsRunWholeInstructions) {
  const KernelLaunch launch = launch_of(test::make_problem(70, 33, 100));
  EXPECT_EQ(launch.warp.groups_per_step, 2);
  EXPECT_EQ(launch.warp.instructions_per_group, 2);
  EXPECT_EQ(launch.warp.instruction->k, 16);
  EXPECT_EQ(launch.warp.fragments, (FragmentBytes{512, 2 * 256, 0}));
}

TEST(GemmLaunch, WarpsMayShareTheirReadOfB) {
  const MachineConfig machine = test::tiny_machine();
  FittedKernel shared = kernel(machine, kDense, DataType::fp16);
  shared.config.b_shared_by_warps = 4;
  const KernelLaunch launch = gemm_launch(machine, shared, test::make_problem(64, 32, 64), 1);
  EXPECT_EQ(launch.warp.fragments, (FragmentBytes{512, 2 * 256 / 4, 0}));
}

/// In a group of k 16 the CTA's A has 32 rows and its B 16 columns of 32 bytes. Two warps read them
/// and write them, half each, where K is not contiguous: one of them for each group, both, and a
/// convolution's one, before the two groups of a k-step.
TEST(GemmLaunch, WarpsTurnOperandsThatInstructionsDoNotTake) {
  MachineConfig machine = test::tiny_machine();
  GemmProblem problem = test::make_problem(64, 32, 64);
  const auto turned = [&] {
    const FittedKernel fitted = kernel(machine, kDense, DataType::fp16);
    const WarpProgram warp = gemm_launch(machine, fitted, problem, 1).warp;
    return std::pair(warp.fragments.total() - 512 - 2 * 256, warp.turned_bytes);
  };
  using Bytes = std::pair<std::int64_t, std::int64_t>;
  problem.b_layout = OperandLayout::mn_major;
  EXPECT_EQ(turned(), Bytes(0, 0));
  machine.accelerator.sm.operand_fetch.k_contiguous_types = {DataType::fp16};
  EXPECT_EQ(turned(), Bytes(16 * 32, 0));
  problem.a_layout = OperandLayout::mn_major;
  EXPECT_EQ(turned(), Bytes(0, 2 * (32 + 16) * 32));
  problem.b_layout = OperandLayout::k_major;
  EXPECT_EQ(turned(), Bytes(32 * 32, 0));
  problem.convolution = ConvolutionPass{Phase::dgrad, 1};
  EXPECT_EQ(turned(), Bytes(0, 2 * 32 * 32));
}

/// m16n8k32, 2:4: 16 kept values in each of 16 rows of A, with 8 groups of 4 bits; two columns of
/// B.
TEST(GemmLaunch, FragmentsOfACompressedAHoldItsMetadata) {
  const KernelLaunch launch =
      launch_of(test::make_problem(32, 16, 64, 1, DataType::fp16, {2, 4}), {2, 4});
  EXPECT_EQ(launch.warp.fragments, (FragmentBytes{512, 2 * 512, 16 * 8 * 4 / 8}));
}

TEST(GemmLaunch, SplitsWritePartialSumsToTheWorkspace) {
  const KernelLaunch whole = launch_of(test::make_problem(64, 32, 320));
  EXPECT_EQ(whole.epilogue, (EpilogueProgram{2, 8, Cycles(), whole.epilogue.trips}));
  const KernelLaunch split = launch_of(test::make_problem(64, 32, 320), kDense, 3);
  EXPECT_EQ(split.splits, 3);
  EXPECT_EQ(split.epilogue, (EpilogueProgram{4, 8, Cycles(), whole.epilogue.trips}));
  EXPECT_EQ(split.ctas(), 3 * whole.ctas());
}

/// Warps take eight rows of their part of the tile at a time.
TEST(GemmLaunch, EveryWarpsRowsPassSharedMemoryEightAtATime) {
  const MachineConfig machine = test::tiny_machine();
  FittedKernel one = kernel(machine, kDense, DataType::fp16);
  const GemmProblem problem = test::make_problem(64, 32, 64);
  for (const auto& [tile_m, warps_m, trips] : {std::tuple(128, 2, 8), {64, 2, 4}, {128, 8, 2}}) {
    one.config.tile_m = tile_m;
    one.config.warps_m = warps_m;
    EXPECT_EQ(gemm_launch(machine, one, problem, 1).epilogue.trips, trips);
  }
}

TEST(GemmLaunch, ResultsHaveTheOutputTypesSize) {
  EXPECT_EQ(launch_of(test::make_problem(64, 32, 64, 1, DataType::int8)).epilogue.element_bytes, 1);
  EXPECT_EQ(launch_of(test::make_problem(64, 32, 64, 1, DataType::tf32)).epilogue.element_bytes, 4);
  EXPECT_EQ(launch_of(test::make_problem(64, 32, 64, 1, DataType::int4)).epilogue.element_bytes, 4);
}

/// A k-step of 128 nibbles is 64 bytes of a row; of the last 5 of 133, three.
TEST(GemmLaunch, RowsOfNibblesTakeWholeBytes) {
  const KernelLaunch launch = launch_of(test::make_problem(64, 32, 133, 1, DataType::int4));
  EXPECT_EQ(launch.tile_k, 128);
  for (const OperandStream& stream : {launch.a, launch.b}) {
    EXPECT_EQ(stream.row_bytes, 64);
    EXPECT_EQ(stream.edge_row_bytes, 3);
  }
}

/// A k-step of 128 is 64 bytes and 8 scales; the last 5 of 133 are three and one. Of pair-wise 4:8
/// a row of A keeps half, and as many scales as a row of B beside it has.
TEST(GemmLaunch, ScalesTravelWithBothOperands) {
  const KernelLaunch dense = launch_of(test::make_problem(64, 32, 133, 1, DataType::nvfp4));
  for (const OperandStream& stream : {dense.a, dense.b}) {
    EXPECT_EQ(stream.row_bytes, 64 + 8);
    EXPECT_EQ(stream.edge_row_bytes, 3 + 1);
  }
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns = {{4, 8, 2}};
  const FittedKernel pairs = kernel(machine, {4, 8, 2}, DataType::nvfp4);
  const GemmProblem problem = test::make_problem(64, 32, 256, 1, DataType::nvfp4, {4, 8, 2});
  const KernelLaunch sparse = gemm_launch(machine, pairs, problem, 1);
  EXPECT_EQ(sparse.tile_k, 256);
  EXPECT_EQ(sparse.a.row_bytes, 64 + 8);
  EXPECT_EQ(sparse.b.row_bytes, 128 + 8);
  EXPECT_EQ(sparse.metadata.row_bytes, 16);
}

TEST(GemmLaunch, AnSmHoldsNoMoreCtasThanThereAreToShare) {
  EXPECT_EQ(launch_of(test::make_problem(32, 16, 64)).ctas_per_sm, 1);
  EXPECT_EQ(launch_of(test::make_problem(96, 16, 64)).ctas_per_sm, 3);
  EXPECT_EQ(launch_of(test::make_problem(960, 160, 64)).ctas_per_sm, 4);
}

/// Implicit im2col of a 3x3 filter: 90 reduction indices of which 10 are distinct memory, in one
/// slice of 32; a miss brings in 10/32 of a slice.
TEST(GemmLaunch, RepeatedDataIsReadFromTheSameMemory) {
  GemmProblem problem = test::make_problem(64, 32, 90);
  problem.b.unique_k = 10;
  const KernelLaunch launch = launch_of(problem);
  EXPECT_EQ(launch.b.distinct_slices, 1);
  EXPECT_EQ(launch.b.distinct_per_1024, 320);
  EXPECT_EQ(launch.a.distinct_slices, 3);
}

/// One SM runs 4 CTAs; a strip of A has 2304 bytes a k-step, one of B 2048: 2 x 2 tiles read less
/// than 1 x 4 or 4 x 1.
TEST(GemmLaunch, TheRasterKeepsRunningCtasTogether) {
  const auto group = [](std::int64_t m) {
    return launch_of(test::make_problem(m, 320, 64, 1, DataType::fp16, {2, 4}), {2, 4})
        .raster_group;
  };
  EXPECT_EQ(group(320), 2);
  EXPECT_EQ(group(32), 1);
}

/// A hit in the far partition 300, DRAM 200 and a burst of 64 bytes at 32 per clk, the tile's bytes
/// at 64 per clk. Partial sums are not added to C before the reduction.
TEST(GemmLaunch, KernelsThatReadCWaitForItBeforeTheyStageIt) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.l2_cache.far_hit_cycles = 300;
  machine.accelerator.dram.latency_cycles = 200;
  machine.accelerator.dram.channels = 1;
  machine.accelerator.dram.burst_bytes = 64;
  machine.accelerator.dram.bytes_per_clk = 32;
  machine.accelerator.memory_bus.sm_read_bytes_per_clk = 64;
  FittedKernel reading = kernel(machine, kDense, DataType::fp16);
  const GemmProblem problem = test::make_problem(64, 32, 64);
  EXPECT_EQ(gemm_launch(machine, reading, problem, 1).epilogue.source_wait, Cycles(0));
  reading.config.reads_c = true;
  const std::int64_t tile_bytes = reading.config.tile_m * reading.config.tile_n * 2;
  EXPECT_EQ(gemm_launch(machine, reading, problem, 1).epilogue.source_wait,
            Cycles(300 + 200 + 2 + (tile_bytes + 63) / 64));
  EXPECT_EQ(gemm_launch(machine, reading, problem, 2).epilogue.source_wait, Cycles(0));
}

TEST(MostSplits, LeaveEveryCtaAStep) {
  const FittedKernel dense = kernel(test::tiny_machine(), kDense, DataType::fp16);
  EXPECT_EQ(most_splits(dense, test::make_problem(8, 8, 1)), 1);
  EXPECT_EQ(most_splits(dense, test::make_problem(8, 8, 96)), 3);
  EXPECT_EQ(most_splits(dense, test::make_problem(8, 8, 97)), 4);
}

TEST(KernelReport, DescribesTheLaunch) {
  const MachineConfig machine = test::tiny_machine();
  const FittedKernel sparse = kernel(machine, {2, 4}, DataType::fp16);
  const GemmProblem problem = test::make_problem(320, 33, 200, 1, DataType::fp16, {2, 4});
  const KernelReport report =
      kernel_report(machine, sparse, gemm_launch(machine, sparse, problem, 2));
  EXPECT_EQ(report.name, "sparse");
  EXPECT_EQ(report.instruction, "mma.sp.m16n8k32");
  EXPECT_EQ(report.tile_k, 64);
  EXPECT_EQ(report.split_k, 2);
  EXPECT_EQ(report.ctas, 10 * 3 * 2);
  EXPECT_EQ(report.ctas_per_sm, 4);
  EXPECT_DOUBLE_EQ(report.waves, 15.0);
}

}  // namespace
}  // namespace stcsim
