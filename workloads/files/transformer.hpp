#pragma once

#include <cstdint>
#include <string>

#include "workloads/layer.hpp"

namespace stcsim {

/// A stack of equal transformer blocks, as configurations of models describe it. Sizes are at most
/// 2^24 each, vocabularies 2^31, blocks 2^16.
struct TransformerBlocks {
  /// Before names of layers: "blk", "enc", "dec".
  std::string prefix = "blk";
  std::int64_t hidden = 1;
  std::int64_t blocks = 1;
  std::int64_t heads = 1;
  /// Heads of keys and values, of which several queries share one.
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t inner = 1;
  /// Queries, and keys of attention to another stack (0: there is none).
  std::int64_t tokens = 1;
  std::int64_t cross_tokens = 0;

  /// layer_norm or rms_norm; the first has a shift beside its scale.
  StreamOp norm = StreamOp::layer_norm;
  StreamOp activation = StreamOp::gelu;
  bool gated = false;
  bool merged_qkv = false;
  bool merged_gate = false;
  bool qkv_bias = true;
  bool out_bias = true;
  bool ffn_bias = true;
  bool rope = false;
  /// Norms of each head's queries and keys.
  bool qk_norm = false;
  bool causal = false;
  bool padded = false;
  std::int64_t window = 0;
  bool dropout = false;
  bool attention_dropout = false;
  /// 0: a feed-forward layer for all tokens.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
};

/// Appends the blocks' layers, and to `other_parameters` what belongs to none of them: two norms a
/// block (three where it attends to another stack), and those of queries and keys.
void add_blocks(Network& network, const TransformerBlocks& blocks);

/// Scale, and shift if there is one.
[[nodiscard]] std::int64_t norm_parameters(StreamOp norm, std::int64_t features);

}  // namespace stcsim
