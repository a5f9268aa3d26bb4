#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim::pruning {

/// One tensor of a safetensors file: where its bytes lie behind the header.
struct StoredTensor {
  std::string name;
  /// "F32", "F16", "BF16" and others; those three are numbers that can be pruned.
  std::string type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool is_float() const { return type == "F32" || type == "F16" || type == "BF16"; }
  [[nodiscard]] std::size_t element_bytes() const { return type == "F32" ? 4 : 2; }
};

/// The header of a file: a length of 8 bytes, little endian, and a map in JSON.
struct SafetensorsHeader {
  /// Both, as they are.
  std::string bytes;
  /// In the order of their bytes.
  std::vector<StoredTensor> tensors;
};

/// Reads the header and checks it against the size of the file.
/// @throws ConfigError with everything that is wrong: not of this format, cut off, tensors that
///         overlap, leave gaps, or whose shapes do not fit their bytes
[[nodiscard]] SafetensorsHeader read_safetensors_header(const std::filesystem::path& file);

/// Numbers of a type as fp32, and back: to the nearest, ties to even, as hardware casts.
[[nodiscard]] std::vector<float> decoded(std::string_view bytes, std::string_view type);
[[nodiscard]] std::string encoded(const std::vector<float>& values, std::string_view type);

}  // namespace stcsim::pruning
