#include <string>

#include <gtest/gtest.h>

#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "tests/support/tiny_machine.hpp"

namespace stcsim {
namespace {

KernelConfig dense_kernel() {
  return test::make_kernel("dense", false, 32, 16, 32, 3, 2, 1);
}
KernelConfig sparse_kernel() {
  return test::make_kernel("sparse", true, 32, 16, 64, 3, 2, 1);
}

std::string why_not(const MachineConfig& machine, const KernelConfig& kernel,
                    DataType dtype = DataType::fp16, Pattern hardware = kDense) {
  std::string reason;
  EXPECT_FALSE(fit_kernel(machine, kernel, dtype, hardware, reason).has_value());
  return reason;
}

FittedKernel fitted(const MachineConfig& machine, const KernelConfig& kernel, DataType dtype,
                    Pattern hardware) {
  std::string reason;
  const auto fit = fit_kernel(machine, kernel, dtype, hardware, reason);
  EXPECT_TRUE(fit.has_value()) << reason;
  return fit.value_or(FittedKernel());
}

/// A stage keeps its bytes of A: kernels are stated for 16-bit elements and 2:4.
TEST(KernelFit, TileKFollowsElementSizeAndPattern) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.operand_selector.native_patterns = {{2, 4}, {1, 8}, {4, 32}};
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::fp16, kDense).config.tile_k, 32);
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::int8, kDense).config.tile_k, 64);
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::tf32, kDense).config.tile_k, 16);
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::fp16, {2, 4}).config.tile_k, 64);
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::int8, {2, 4}).config.tile_k, 128);
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::fp16, {1, 8}).config.tile_k, 256);
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::fp16, {4, 32}).config.tile_k, 256);
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::int4, kDense).config.tile_k, 128);
  machine.accelerator.sm.operand_selector.native_patterns = {{4, 8, 2}};
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::int4, {4, 8, 2}).config.tile_k, 256);
}

/// 32 x 64 bytes of A and 16 x 64 of B; sparse: 32 x (64 + 8 of metadata) and 16 x 128.
TEST(KernelFit, SharedMemoryHoldsValuesAndMetadataOfAllStages) {
  const MachineConfig machine = test::tiny_machine();
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::fp16, kDense).shared_memory_bytes,
            3 * (32 + 16) * 64);
  EXPECT_EQ(fitted(machine, sparse_kernel(), DataType::fp16, {2, 4}).shared_memory_bytes,
            3 * (32 * 72 + 16 * 128));
}

/// Eight scales for each row of A and each column of B of 128 nibbles.
TEST(KernelFit, SharedMemoryHoldsScales) {
  const MachineConfig machine = test::tiny_machine();
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::nvfp4, kDense).shared_memory_bytes,
            3 * (32 + 16) * (64 + 8));
}

/// A warp of 16 x 16: 8 accumulators a thread, fragments of 512 + 2 * 256 bytes = 8 registers in
/// two buffers, 44 others.
TEST(KernelFit, CountsRegisters) {
  const FittedKernel kernel = fitted(test::tiny_machine(), dense_kernel(), DataType::fp16, kDense);
  EXPECT_EQ(kernel.registers_per_thread, 8 + 2 * 8 + 44);
  EXPECT_EQ(kernel.fragment_buffers, 2);
}

/// Nsight Compute shows 196 registers for cuBLAS' kernel of 96x128x32 with warps of 48x64.
TEST(KernelFit, CountsThePublishedRegistersOfALibrarysKernel) {
  MachineConfig machine = test::tiny_machine();
  const KernelConfig cublas = test::make_kernel("96x128", false, 96, 128, 32, 4, 2, 2);
  EXPECT_EQ(fitted(machine, cublas, DataType::fp16, kDense).registers_per_thread, 196);
}

/// 8 accumulators and 44 others; a set of fragments is 4 registers of A and 4 of B. A second set
/// needs 68 registers, or 64 if one operand is loaded anew in place; a single one needs 60.
TEST(KernelFit, LoadsFragmentsAheadIfTheRegistersHoldASecondSetOfOneOperand) {
  MachineConfig machine = test::tiny_machine();
  std::int64_t& limit = machine.accelerator.sm.max_registers_per_thread;
  const auto expect = [&](std::int64_t buffers, std::int64_t registers) {
    const FittedKernel kernel = fitted(machine, dense_kernel(), DataType::fp16, kDense);
    EXPECT_EQ(kernel.fragment_buffers, buffers) << limit;
    EXPECT_EQ(kernel.registers_per_thread, registers) << limit;
  };
  limit = 68;
  expect(2, 68);
  limit = 67;
  expect(2, 64);
  limit = 64;
  expect(2, 64);
  limit = 63;
  expect(1, 60);
  limit = 60;
  expect(1, 60);
  limit = 59;
  EXPECT_EQ(why_not(machine, dense_kernel()), "needs 60 registers per thread, the limit is 59");
}

/// A set of fragments less lets a third CTA into an SM that holds 64 registers for each of its
/// threads; a single one needs no fewer units of 8.
TEST(KernelFit, VariantsNeedFewerRegistersOrFewerBuffers) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.registers = 3 * 64 * 64;
  const auto variants = fit_variants(
      machine, dense_kernel(), *instruction_for(machine.accelerator.sm, DataType::fp16, kDense));
  ASSERT_EQ(variants.size(), 3U);
  const auto expect = [&](std::size_t at, std::int64_t buffers, std::int64_t registers,
                          std::int64_t ctas) {
    EXPECT_EQ(variants[at].fragment_buffers, buffers) << at;
    EXPECT_EQ(variants[at].registers_per_thread, registers) << at;
    EXPECT_EQ(variants[at].ctas_per_sm, ctas) << at;
  };
  expect(0, 2, 68, 2);
  expect(1, 2, 64, 3);
  expect(2, 1, 60, 3);
}

/// Two warps of 72 registers a thread do not fit into this SM, but with 64 they do.
TEST(KernelFit, TakesFewerRegistersWhereOneCtaWouldNotFit) {
  MachineConfig machine = test::tiny_machine();
  std::int64_t& registers = machine.accelerator.sm.registers;
  registers = 64 * 64;
  const FittedKernel kernel = fitted(machine, dense_kernel(), DataType::fp16, kDense);
  EXPECT_EQ(kernel.registers_per_thread, 64);
  EXPECT_EQ(kernel.fragment_buffers, 2);
  --registers;
  EXPECT_EQ(why_not(machine, dense_kernel()), "one CTA does not fit into an SM");
}

/// Warps of 80x64 have 160 accumulators: with 20 registers of A and 16 of B they need one more than
/// a thread can have to load any operand ahead. CUTLASS' sparse warps of 64x64 (128 accumulators,
/// 18 of A and metadata, 32 of B) do with a second buffer of A.
TEST(KernelFit, ALargeWarpTileLeavesNoRegistersToLoadAhead) {
  MachineConfig machine = test::tiny_machine();
  machine.accelerator.sm.shared_memory.max_bytes_per_cta = 101376;
  machine.accelerator.sm.shared_memory.capacity_bytes = 102400;
  const KernelConfig wide = test::make_kernel("160x128", false, 160, 128, 32, 4, 2, 2);
  const FittedKernel dense = fitted(machine, wide, DataType::fp16, kDense);
  EXPECT_EQ(dense.fragment_buffers, 1);
  EXPECT_EQ(dense.registers_per_thread, 160 + 20 + 16 + 44);
  const KernelConfig square = test::make_kernel("128x128", true, 128, 128, 64, 3, 2, 2);
  const FittedKernel sparse = fitted(machine, square, DataType::fp16, {2, 4});
  EXPECT_EQ(sparse.fragment_buffers, 2);
  EXPECT_EQ(sparse.registers_per_thread, 128 + 2 * 18 + 32 + 44);
}

/// Registers are given to warps in units of 8 per thread: 68 take as many as 72.
TEST(KernelFit, RegistersAreAllocatedInUnits) {
  MachineConfig machine = test::tiny_machine();
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  sm.registers = 72 * 32 * 2 * 2;
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::fp16, kDense).ctas_per_sm, 2);
  sm.registers -= 1;
  EXPECT_EQ(fitted(machine, dense_kernel(), DataType::fp16, kDense).ctas_per_sm, 1);
}

TEST(KernelFit, TheScarcestResourceLimitsTheCtas) {
  MachineConfig machine = test::tiny_machine();
  StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  const auto ctas = [&] {
    return fitted(machine, dense_kernel(), DataType::fp16, kDense).ctas_per_sm;
  };
  sm.max_ctas = 100;
  sm.max_warps = 200;
  sm.registers = 1 << 20;
  sm.shared_memory.capacity_bytes = 1 << 20;
  EXPECT_EQ(ctas(), 100);
  sm.max_warps = 9;
  EXPECT_EQ(ctas(), 4);
  sm.registers = 72 * 32 * 2 * 3 + 1;
  EXPECT_EQ(ctas(), 3);
  sm.shared_memory.capacity_bytes = 2 * (9216 + 1024);
  EXPECT_EQ(ctas(), 2);
  sm.shared_memory.capacity_bytes -= 1;
  EXPECT_EQ(ctas(), 1);
}

TEST(KernelFit, SaysWhyNot) {
  MachineConfig machine = test::tiny_machine();
  EXPECT_EQ(why_not(machine, dense_kernel(), DataType::fp16, {2, 4}), "is a dense kernel");
  EXPECT_EQ(why_not(machine, sparse_kernel()), "is a sparse kernel");
  EXPECT_EQ(why_not(machine, sparse_kernel(), DataType::fp16, {1, 8}),
            "tiny has no fp16 instruction for 1:8");
  EXPECT_EQ(why_not(machine, test::make_kernel("x", false, 24, 16, 32, 3, 1, 1)),
            "tile 24x16x32 is not a multiple of the instruction m16n8k16 per warp");
  EXPECT_EQ(why_not(machine, test::make_kernel("x", false, 16, 16, 32, 3, 2, 1)),
            "tile 16x16x32 is not a multiple of the instruction m16n8k16 per warp");
  EXPECT_EQ(why_not(machine, test::make_kernel("x", false, 128, 128, 64, 3, 4, 4)),
            "needs 98304 bytes of shared memory, a CTA may have 64512");
  machine.accelerator.sm.max_warps = 1;
  EXPECT_EQ(why_not(machine, dense_kernel()), "one CTA does not fit into an SM");
}

}  // namespace
}  // namespace stcsim
