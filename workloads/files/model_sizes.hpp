#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/problems.hpp"
#include "workloads/files/import.hpp"
#include "workloads/files/model_family.hpp"
#include "workloads/files/model_keys.hpp"
#include "workloads/files/transformer.hpp"

namespace stcsim {

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
