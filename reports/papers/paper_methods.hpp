#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "pruning/schemes.hpp"

namespace stcsim {

/// Most rows and columns of tensors that are generated for a row, the largest seed, and how many.
inline constexpr std::int64_t kMostRowSize = 4096;
inline constexpr std::int64_t kMostRowSeed = 1'000'000'000;
inline constexpr std::int64_t kMostRowSeeds = 1000;

/// The key `pattern` of a row: sparse, and not composed, which no method prunes to.
/// @throws ConfigError at it
[[nodiscard]] Pattern read_sparse_pattern(MapReader& map);

/// The key `method` of a row, one of `names`.
/// @throws ConfigError at it, which lists the names
[[nodiscard]] std::string read_method_of(MapReader& map,
                                         const std::vector<std::string_view>& names);

/// The key `method` of a row: a scheme of the pruning library that `suits`, and that can prune to
/// the pattern; or `besides`.
/// @throws ConfigError at it, which lists the names
[[nodiscard]] std::string read_pruning_method(MapReader& map, Pattern pattern,
                                              bool (*suits)(const pruning::Scheme&),
                                              std::string_view besides = "");

}  // namespace stcsim
