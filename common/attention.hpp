#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "common/data_type.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Whose kernel computes attention: none, batched products and a softmax between them; or one that
/// keeps scores on chip, FlashAttention-2's or cuDNN's.
enum class AttentionKernel : std::uint8_t { products, flash2, cudnn };

[[nodiscard]] constexpr std::string_view to_string(AttentionKernel kernel) {
  if (kernel == AttentionKernel::products) return "products";
  return kernel == AttentionKernel::flash2 ? "flash2" : "cudnn";
}

/// softmax(Q K^T) V of all heads of a batch, in one kernel. Q is heads x queries x head_size, K and
/// V are kv_heads x keys x head_size; heads / kv_heads queries share them.
struct AttentionShape {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t head_size = 64;
  /// A query meets the keys up to its own only; the last `window` of these, if that is not 0.
  bool causal = false;
  std::int64_t window = 0;
  bool dropout = false;
  DataType dtype = DataType::bf16;
  /// Of the scores that are kept, groups along the keys. Kernels that leave others out are
  /// hypothetical: they choose by magnitude, and softmax and sparse products take what is kept.
  Pattern scores = kDense;
  /// A mask of queries x keys for each sample, in the type, is added to the scores of all heads.
  bool mask = false;

  friend auto operator<=>(const AttentionShape&, const AttentionShape&) = default;

  [[nodiscard]] std::int64_t query_elements() const { return batch * heads * queries * head_size; }
  /// Of K, or of V.
  [[nodiscard]] std::int64_t key_elements() const { return batch * kv_heads * keys * head_size; }
  /// Multiply-accumulates of one of its products, of all scores.
  [[nodiscard]] std::int64_t product_macs() const { return query_elements() * keys; }
};

/// The largest head that kernels take.
inline constexpr std::int64_t kLargestHead = 256;

}  // namespace stcsim
