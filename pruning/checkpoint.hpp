#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pruning/prune.hpp"
#include "pruning/safetensors.hpp"

namespace stcsim::pruning {

/// What became of one tensor of a checkpoint.
struct CheckpointRow {
  std::string file;
  StoredTensor tensor;
  bool is_pruned = false;
  std::int64_t nonzeros = 0;
  std::optional<double> l1_retained;
};

/// How a checkpoint is pruned.
struct CheckpointOptions {
  std::string scheme;
  PruneOptions prune;
  /// The axis that groups run along; without it the last of matrices, and the second (the input
  /// channels) of convolutions.
  std::optional<std::size_t> axis;
  /// Names with * for anything; without any: weights of two or more dimensions that are no
  /// embedding, normalisation or last layer.
  std::vector<std::string> tensors;
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

/// Whether a path is a checkpoint: a .safetensors file, a folder of them, or their index.
[[nodiscard]] bool is_checkpoint(const std::filesystem::path& path);

/// Prunes the tensors that are asked for and copies the others, file by file: the header and every
/// other byte stay as they are. At most one tensor is in memory, of schemes that treat rows by
/// themselves 64 MiB of one.
/// @param output a file, or a folder for shards; "": nothing is written
/// @throws ConfigError for files that are malformed, and tensors that cannot be pruned so
[[nodiscard]] std::vector<CheckpointRow> prune_checkpoint(const std::filesystem::path& input,
                                                          const std::filesystem::path& output,
                                                          const CheckpointOptions& options);

/// Whether `name` fits `pattern`, in which * stands for any text, as in a shell.
[[nodiscard]] bool matches(const std::string& name, const std::string& pattern);

}  // namespace stcsim::pruning
