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

  std::string_view type;
  /// How its classes' names begin.
  std::string_view classes;
  Kind kind = Kind::decoder;
  /// Defaults of the class.
  std::int64_t hidden = 768;
  std::int64_t blocks = 12;
  std::int64_t heads = 12;
  /// 0: as heads.
  std::int64_t kv_heads = 0;
  /// 0: hidden / heads.
  std::int64_t head_dim = 0;
  /// 0: four times hidden.
  std::int64_t inner = 0;
  std::int64_t vocabulary = 0;
  std::int64_t positions = 512;
  /// Rows of a table of positions beyond those; below 0: there is no table.
  std::int64_t more_rows = -1;
  std::int64_t segments = 0;
  bool tied = false;
  bool dropout = false;
  StreamOp norm = StreamOp::layer_norm;
  StreamOp activation = StreamOp::gelu;
  bool gated = false;
  bool merged_qkv = false;
  bool merged_gate = false;
  bool qkv_bias = true;
  bool out_bias = true;
  bool ffn_bias = true;
  bool qk_norm = false;
  /// A dense layer on the first token's output.
  bool pooler = false;
  /// Keys that tell it from others where its type is not known; all must be there.
  std::span<const std::string_view> keys;

  [[nodiscard]] bool rotates() const { return kind == Kind::decoder && more_rows < 0; }
};

[[nodiscard]] std::span<const ModelFamily> model_families();

}  // namespace stcsim
