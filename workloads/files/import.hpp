#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workloads/layer.hpp"

namespace stcsim {

/// What other people's files of models do not say.
struct ImportOptions {
  /// Samples of a step; nothing: what the file has, or a guess that is said.
  std::optional<std::int64_t> batch;
  /// Tokens of a sample.
  std::optional<std::int64_t> tokens;
  /// Sizes that the file has a name for only: dimensions of an ONNX graph (without a name `input:1`
  /// by their place), or the number that is an input; of a configuration
  /// `masked` (tokens whose word is predicted) and `target` (tokens of a decoder).
  std::map<std::string, std::int64_t> sizes;
  /// Names of sizes that the file has asked for.
  mutable std::set<std::string> asked;
  /// Somebody typed the keys of a configuration: each has to be read.
  bool is_typed = false;
  /// Of a profile: what was measured stays (Network::measured_step), and layers of feed-forward
  /// parts are told by their sizes.
  bool keeps_times = false;

  /// What is stated of a size that the file asks for.
  [[nodiscard]] std::optional<std::int64_t> size(const std::string& name) const;
  /// @throws ConfigError  if a size is stated that nothing has asked for
  void refuse_others(const std::string& where) const;
};

/// A network that was read from somebody else's file, and what became of what the file says.
struct ImportedNetwork {
  Network network;
  /// "Hugging Face config, BertModel: 12 blocks of ..."
  std::string recognised;
  /// Each a few words; empty lists where there is nothing to say.
  std::vector<std::string> left_out;
  std::vector<std::string> assumed;

  /// All of it in one line, for Network::note.
  [[nodiscard]] std::string summary() const;
};

/// Kinds of files, told apart by what is in them.
enum class ModelFile : std::uint8_t { none, hugging_face, onnx, trace, gemm_list };

/// What a file, a pipe or standard input ("-") is, by its first bytes; `none` is a network's own
/// YAML, or nothing known.
/// @throws ConfigError if it cannot be read
[[nodiscard]] ModelFile recognise(const std::filesystem::path& path);

/// Reads a file that recognise() knows, as what it is. The network is named after the file (a
/// config.json after its folder).
/// @throws ConfigError that names the file, what it was taken for and everything that is wrong
[[nodiscard]] ImportedNetwork import_network(const std::filesystem::path& path,
                                             const ImportOptions& options);

}  // namespace stcsim
