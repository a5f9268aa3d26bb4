#pragma once

#include <cstdint>
#include <vector>

#include "common/attention.hpp"
#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// One kernel of attention: forward, or the backward one that computes scores anew.
struct AttentionWork {
  AttentionKernel kernel = AttentionKernel::flash2;
  bool backward = false;
  AttentionShape shape;

  friend auto operator<=>(const AttentionWork&, const AttentionWork&) = default;

  /// Those of two products, or of five; of all scores.
  [[nodiscard]] std::int64_t macs() const { return (backward ? 5 : 2) * shape.product_macs(); }
};

/// The tile of a kernel: a CTA has some queries and loops over blocks of keys (forward), or has
/// some keys and loops over blocks of queries (backward).
struct AttentionTile {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t warps = 0;
};

/// Whether the machine multiplies by wgmma: warp groups, operands from shared memory, accumulators
/// in registers. Elsewhere cuDNN's kernels are FlashAttention-2's.
[[nodiscard]] bool has_warp_groups(const MachineConfig& machine);

/// The library's, of whole instructions, and warps that have some.
[[nodiscard]] AttentionTile attention_tile(const MachineConfig& machine, const AttentionWork& work);

/// One of more columns than a head has is taken with fewer (assumed: arrays through which columns
/// move take any number up to that).
/// @throws ConfigError  if the machine does not multiply the type
[[nodiscard]] MmaInstruction attention_instruction(const MachineConfig& machine,
                                                   const AttentionShape& shape);

/// The kernel as a grid of CTAs. A k-step is a block of keys (of queries, backward), its phases the
/// products and the vector work between them:
///   forward   S = Q K^T; P = exp(S - max), sums; O += P V
///   backward  S = Q K^T; dP = dO V^T; P, dS = P (dP - delta); dV += P^T dO; dQ += dS K; dK += dS^T
///   Q
/// Of pruned scores (AttentionShape::scores) P V and dS K, which reduce over keys, are sparse:
/// their instructions are as many as the kept values' (assumed: each takes a dense one's cycles).
/// Lanes that compare choose what is kept, or the epilogue's unit, whose time adds to that of
/// exponentials (assumed: it stands on the way from the accumulators). Masks are added before.
/// @throws ConfigError  if the machine does not multiply the type or the pattern, or heads are too
/// large
[[nodiscard]] KernelLaunch attention_launch(const MachineConfig& machine,
                                            const AttentionWork& work);

/// Kernels before the backward one, which writes delta = sum(dO O) and zeros for the gradient of Q,
/// which is added up in fp32; and behind it, which casts that.
[[nodiscard]] StreamWork attention_delta(const AttentionShape& shape);
[[nodiscard]] StreamWork attention_cast(const AttentionShape& shape);
/// Where heads share keys and values: their gradients, of K and of V a kernel each, are added up.
[[nodiscard]] StreamWork attention_sum(const AttentionShape& shape);
/// All kernels beside that of the pass. Forward: where there is dropout, PyTorch unpacks the seed
/// and the offset of its random numbers for cuDNN.
[[nodiscard]] std::vector<StreamWork> beside_attention(const AttentionWork& work);

}  // namespace stcsim
