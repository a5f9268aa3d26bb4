#pragma once

#include <cstdint>
#include <string>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/verdict.hpp"

namespace stcsim {

/// A row of a paper about masks: the map `mask` of its file.
struct MaskRow {
  Quantity quantity = Quantity::mask_retained;
  /// A scheme of the pruning library, or "unstructured": the largest magnitudes of the whole
  /// tensor.
  std::string method;
  Pattern pattern{2, 4};
  /// Rows and columns of the tensor.
  std::int64_t size = 0;
  /// The tensors are drawn from seed, seed + 1, ...
  std::int64_t seed = 1;
  std::int64_t seeds = 1;
  /// Asks methods that prune twice what the pruning for dgrad keeps.
  bool is_dgrad = false;
};

/// Reads all keys of the map. docs/evidence.md lists them by quantity.
/// @throws ConfigError with file:line:column
[[nodiscard]] MaskRow read_mask_row(MapReader& map);

/// The column "computed".
[[nodiscard]] PaperAnswer answer_of(const MaskRow& row);

}  // namespace stcsim
