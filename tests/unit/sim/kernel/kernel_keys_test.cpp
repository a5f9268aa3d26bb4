#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "models/bounds/critical_path.hpp"
#include "models/shared_memory/shared_memory.hpp"
#include "models/sub_core/sub_core.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "tests/support/make_problem.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

/// A 32 x 16 tile of two warps along m, and what a key of its entry changes.
class KernelKeys : public testing::Test {
 protected:
  KernelKeys()
      : machine_(test::tiny_machine()),
        dense_(test::make_kernel("dense", false, 32, 16, 32, 3, 2, 1)),
        sparse_(test::make_kernel("sparse", true, 32, 16, 64, 3, 2, 1)) {}

  [[nodiscard]] FittedKernel fitted(const KernelConfig& config, DataType dtype) const {
    std::string why_not;
    const Pattern hardware = config.sparse ? Pattern{2, 4} : kDense;
    return fit_kernel(machine_, config, dtype, hardware, why_not).value();
  }
  [[nodiscard]] KernelLaunch launch(const KernelConfig& config, std::int64_t m = 64,
                                    std::int64_t split_k = 1,
                                    DataType dtype = DataType::fp16) const {
    const Pattern pattern = config.sparse ? Pattern{2, 4} : kDense;
    const GemmProblem problem = test::make_problem(m, 320, 320, 1, dtype, pattern);
    return gemm_launch(machine_, fitted(config, dtype), problem, split_k);
  }

  MachineConfig machine_;
  KernelConfig dense_;
  KernelConfig sparse_;
};

TEST_F(KernelKeys, MulticastIsHowManyCtasAReadOfTheCacheServes) {
  EXPECT_EQ(launch(dense_).ctas_per_read(Operand::a), 1);
  EXPECT_EQ(launch(dense_).ctas_per_read(Operand::b), 1);
  dense_.multicast_a = 4;
  dense_.multicast_b = 2;
  EXPECT_EQ(launch(dense_).ctas_per_read(Operand::a), 4);
  EXPECT_EQ(launch(dense_).ctas_per_read(Operand::metadata), 4);
  EXPECT_EQ(launch(dense_).ctas_per_read(Operand::b), 2);
}

/// 48 rows of 64 bytes at 40 a clk, through the port that reads use.
TEST_F(KernelKeys, ThreadsMayCopyInPlaceOfTma) {
  SharedMemoryConfig& memory = machine_.accelerator.sm.shared_memory;
  memory.has_fill_port = true;
  machine_.accelerator.sm.copy_engine.thread_bytes_per_clk = 40;
  EXPECT_TRUE(has_fill_port(memory, launch(dense_)));
  EXPECT_EQ(fill_cycles(memory, launch(dense_)), Cycles(48 * 64 / memory.fill_width()));
  dense_.copies_by_threads = true;
  EXPECT_FALSE(has_fill_port(memory, launch(dense_)));
  EXPECT_EQ(fill_cycles(memory, launch(dense_)), Cycles(77));
}

/// A bubble of the kernel takes the place of the machine's and is there between warps too.
TEST_F(KernelKeys, ABubbleIsTheMultipliers) {
  machine_.accelerator.sm.tensor_core.same_warp_bubble = Millicycles(2000);
  const auto pace = [&] { return timing_of(machine_.accelerator.sm, launch(dense_).warp).pace; };
  EXPECT_EQ(pace(), (InstructionPace{Cycles(8), Millicycles(2000), Cycles(25), false}));
  dense_.bubble = Millicycles(420);
  EXPECT_EQ(pace(), (InstructionPace{Cycles(8), Millicycles(420), Cycles(25), true}));
}

/// Written to shared memory and read back: 4 bytes of an accumulator each time, or what C has.
/// Partial sums are accumulators.
TEST_F(KernelKeys, OutputMayPassSharedMemoryInItsOwnType) {
  const auto bytes = [&](DataType type, std::int64_t split_k) {
    return launch(dense_, 64, split_k, type).epilogue.staging_bytes_per_element;
  };
  EXPECT_EQ(bytes(DataType::fp16, 1), 2 * 4);
  EXPECT_EQ(bytes(DataType::int8, 1), 2 * 4);
  dense_.stages_output_type = true;
  EXPECT_EQ(bytes(DataType::fp16, 1), 2 * 2);
  EXPECT_EQ(bytes(DataType::int8, 1), 2 * 1);
  EXPECT_EQ(bytes(DataType::tf32, 1), 2 * 4);
  EXPECT_EQ(bytes(DataType::fp16, 2), 2 * 4);
}

/// Twenty rows of tiles, of which blocks have two (see
/// GemmLaunch.TheRasterKeepsRunningCtasTogether).
TEST_F(KernelKeys, TheRasterMayGoDownAllRows) {
  EXPECT_LT(launch(sparse_, 640).raster_group, 20);
  sparse_.raster_along_m = true;
  const KernelLaunch down = launch(sparse_, 640);
  EXPECT_EQ(down.raster_group, 20);
  EXPECT_EQ(down.position(19), (CtaPosition{0, 0, 19, 0, 19}));
  EXPECT_EQ(down.position(20), (CtaPosition{0, 0, 0, 1, 20}));
}

/// A stage has 32 rows of 64 bytes of values and 8 of metadata, and 16 of 128 of B; a warp reads 64
/// bytes of metadata with 512 of A and 1024 of B.
TEST_F(KernelKeys, MetadataMayComePastSharedMemory) {
  EXPECT_EQ(fitted(sparse_, DataType::fp16).shared_memory_bytes, 3 * (32 * (64 + 8) + 16 * 128));
  EXPECT_EQ(launch(sparse_).shared_stage_bytes(), 32 * (64 + 8) + 16 * 128);
  EXPECT_EQ(launch(sparse_).warp.fragments, (FragmentBytes{512, 1024, 64}));
  sparse_.metadata_in_registers = true;
  EXPECT_EQ(fitted(sparse_, DataType::fp16).shared_memory_bytes, 3 * (32 * 64 + 16 * 128));
  const KernelLaunch past = launch(sparse_);
  EXPECT_EQ(past.shared_stage_bytes(), 32 * 64 + 16 * 128);
  EXPECT_EQ(past.stage_bytes(), 32 * (64 + 8) + 16 * 128);
  EXPECT_EQ(past.warp.fragments, (FragmentBytes{512, 1024, 0}));
}

TEST_F(KernelKeys, AnEpilogueMayBeSlowerThanTheMachines) {
  EXPECT_EQ(launch(dense_).epilogue.elements_per_clk, 0);
  dense_.epilogue_elements_per_clk = 7;
  EXPECT_EQ(launch(dense_).epilogue.elements_per_clk, 7);
}

/// Both groups' accumulators are in registers, and the next tile waits for no epilogue.
TEST_F(KernelKeys, GroupsOfWarpsMayTakeTurns) {
  dense_.persistent = true;
  EXPECT_FALSE(launch(dense_).has_spare_accumulators);
  const std::int64_t warps = dense_.warps_m * dense_.warps_n;
  StreamingMultiprocessorConfig& sm = machine_.accelerator.sm;
  sm.max_warps = 2 * warps - 1;
  EXPECT_EQ(fitted(dense_, DataType::fp16).ctas_per_sm, 1);
  dense_.ping_pong = true;
  std::string why_not;
  EXPECT_FALSE(fit_kernel(machine_, dense_, DataType::fp16, kDense, why_not));
  sm.max_warps = 2 * warps;
  EXPECT_TRUE(launch(dense_).has_spare_accumulators);
  dense_.persistent = false;
  EXPECT_FALSE(launch(dense_).has_spare_accumulators);
}

}  // namespace
}  // namespace stcsim
