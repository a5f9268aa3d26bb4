#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"
#include "sim/kernel/attention_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
namespace {

/// The tile of FlashAttention-2, version 2.7 (Dao-AILab/flash-attention,
/// csrc/flash_attn/src/flash_fwd_launch_template.h): by head size, dropout and shared memory.
AttentionTile flash_forward(std::int64_t shared_bytes, const AttentionShape& shape) {
  const bool is_small = shared_bytes < 144 * 1024;  // sm_86, sm_89
  if (shape.head_size <= 32) return {128, 128, 4};
  if (shape.head_size <= 64) return {128, shape.dropout ? 64 : 128, 4};
  if (shape.head_size <= 96) return {is_small && shape.causal ? 64 : 128, 64, 4};
  if (shape.head_size <= 128) {
    if (is_small && shape.causal && !shape.dropout) return {64, 64, 4};
    return {128, shape.dropout || is_small ? 32 : 64, 4};
  }
  if (shape.head_size <= 192 && !shape.dropout) return {128, 64, 8};
  const bool is_a100 = !is_small && shared_bytes < 192 * 1024;
  return is_a100 ? AttentionTile{128, 64, 8} : AttentionTile{64, 64, 4};
}

/// The same of flash_bwd_launch_template.h.
AttentionTile flash_backward(std::int64_t shared_bytes, const AttentionShape& shape) {
  const bool is_small = shared_bytes < 144 * 1024;
  if (shape.head_size <= 32) return {128, 128, 8};
  if (shape.head_size <= 64) return {is_small ? 64 : 128, 128, 8};
  if (shape.head_size <= 96) return {64, is_small ? 64 : 128, 8};
  if (shape.head_size <= 128) return {64, is_small ? 64 : 128, 8};
  return {64, is_small ? 32 : 64, 8};
}

/// cuDNN's on Hopper as its kernels' names say (profiles of PyTorch 2.11: flash_fprop_wgmma_f16
/// 64x128x64_4x1x1, flash_bprop_wgmma_f16 64x64x64_1x4x1): rows of a warp group, columns, head; a
/// CTA of 384 threads has two groups that multiply and one that copies. Other heads: assumed alike.
AttentionTile cudnn_tile(const AttentionWork& work) {
  if (work.backward) return {64, work.shape.head_size <= 128 ? 128 : 64, 8};
  return {128, work.shape.head_size <= 128 ? 128 : 64, 8};
}

}  // namespace

bool has_warp_groups(const MachineConfig& machine) {
  const StreamingMultiprocessorConfig& sm = machine.accelerator.sm;
  return sm.operand_fetch.register_bytes_per_clk == 0 && sm.tensor_memory_bytes == 0;
}

AttentionTile attention_tile(const MachineConfig& machine, const AttentionWork& work) {
  if (work.kernel == AttentionKernel::cudnn && has_warp_groups(machine)) return cudnn_tile(work);
  const std::int64_t shared = machine.accelerator.sm.shared_memory.max_bytes_per_cta;
  AttentionTile tile =
      work.backward ? flash_backward(shared, work.shape) : flash_forward(shared, work.shape);
  const MmaInstruction one = attention_instruction(machine, work.shape);
  tile.queries = round_up(tile.queries, one.m);
  tile.keys = round_up(tile.keys, one.m);
  const std::int64_t instructions =
      tile.queries / one.m * ceil_div(tile.keys, one.n) * ceil_div(work.shape.head_size, one.k);
  tile.warps = std::min(tile.warps, instructions);
  return tile;
}

MmaInstruction attention_instruction(const MachineConfig& machine, const AttentionShape& shape) {
  const auto instructions = instructions_for(machine.accelerator.sm, shape.dtype, kDense);
  if (instructions.empty()) {
    throw ConfigError(fmt::format("{} has no {} instruction for attention", machine.name,
                                  to_string(shape.dtype)));
  }
  MmaInstruction one = instructions.front();
  one.n = std::min(one.n, shape.head_size);
  return one;
}

}  // namespace stcsim
