#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim::pruning {

/// The header of a NumPy file.
struct NpyHeader {
  std::string type;  // as NumPy writes it, "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Reads the dictionary in a header: exactly the keys 'descr', 'fortran_order' and 'shape', in any
/// order. Throws ConfigError naming `file` and the place for anything else.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file);

}  // namespace stcsim::pruning
