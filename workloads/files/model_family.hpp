#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "workloads/layer.hpp"

namespace stcsim {

/// What the classes of a model type do whatever the file says, and what they take where it says
/// nothing (transformers, configuration_*.py and modeling_*.py).
struct ModelFamily {
  enum class Kind : std::uint8_t { encoder, decoder, vision, both };
  enum Trait : unsigned {
    tied = 1U << 0U,
    dropouts = 1U << 1U,
    gated = 1U << 2U,
    rms_norm = 1U << 3U,
    qk_norm = 1U << 4U,
    merged_qkv = 1U << 5U,
    merged = 1U << 5U | 1U << 6U,  // queries, keys and values, and the gate with its factor
    qkv_bias = 1U << 7U,
    other_biases = 1U << 8U,
    segments = 1U << 9U,
    pooler = 1U << 10U,  // a dense layer on the first token's output
  };

  std::string_view type;
  /// How its classes' names begin.
  std::string_view classes;
  Kind kind;
  std::int64_t hidden;
  std::int64_t blocks;
  std::int64_t heads;
  std::int64_t kv_heads;  // 0: as heads
  std::int64_t head_dim;  // 0: hidden / heads
  std::int64_t inner;     // 0: four times hidden
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t more_rows;  // of a table of positions beyond those; below 0: there is no table
  StreamOp activation;
  unsigned traits;
  /// Keys that tell it from others where its type is not known; all must be there.
  std::string_view keys;

  [[nodiscard]] bool has(Trait trait) const { return (traits & trait) == trait; }
};

[[nodiscard]] std::span<const ModelFamily> model_families();

}  // namespace stcsim
