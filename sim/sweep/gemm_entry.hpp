#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim {

/// An entry of a space's list of GEMMs as a map: "1024x8192x1024" is {m: 1024, n: 8192, k: 1024}.
/// @throws ConfigError if a text is no size
[[nodiscard]] YamlNode gemm_map(const YamlNode& entry);

/// A GEMM of a space, and how many such there are: what it weighs in a design.
struct GemmEntry {
  GemmProblem gemm;
  std::int64_t repeat = 1;
};

/// What a map says: m, n, k, and batch_count, repeat, dtype, pattern, layout (tn, nn, nt, tt),
/// c_layout (row, column), name.
/// @param dtype  where the map has none
/// @throws ConfigError at what is wrong
[[nodiscard]] GemmEntry read_gemm(const YamlNode& map, DataType dtype);

}  // namespace stcsim
