#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/problems.hpp"
#include "workloads/files/import.hpp"
#include "workloads/files/model_keys.hpp"
#include "workloads/files/transformer.hpp"

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

/// A size that a configuration of another class calls otherwise.
inline constexpr std::string_view kHiddenKeys = "hidden_size n_embd d_model dim";
inline constexpr std::string_view kHeadsKeys = "num_attention_heads n_head num_heads n_heads";

/// A model's sizes, as the keys of its configuration and its class have them.
struct ModelSizes {
  TransformerBlocks blocks;
  std::int64_t vocabulary = 0;
  /// Rows of a table of positions.
  std::int64_t positions = 0;
  bool tied = false;
};

/// Reads them. What is wrong becomes a problem.
class SizeReader {
 public:
  SizeReader(ModelKeys& keys, const ModelFamily& family, Problems& problems,
             std::vector<std::string>& assumed)
      : keys_(keys), family_(family), problems_(problems), assumed_(assumed) {}

  /// All but tokens.
  [[nodiscard]] ModelSizes read();
  /// Tokens of a sample, those that a table of positions has at most, and how far they see.
  void read_tokens(ModelSizes& sizes, const ImportOptions& options);

 private:
  void read_heads(TransformerBlocks& blocks);
  void read_experts(TransformerBlocks& blocks);
  void read_words(ModelSizes& sizes);
  void read_activation(TransformerBlocks& blocks);
  void read_window(TransformerBlocks& blocks);

  ModelKeys& keys_;
  const ModelFamily& family_;
  Problems& problems_;
  std::vector<std::string>& assumed_;
};

}  // namespace stcsim
