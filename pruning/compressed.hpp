#pragma once

#include <cstdint>
#include <vector>

#include "common/pattern.hpp"
#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// A matrix compressed along its rows as sparse tensor cores hold it, laid out like the simulated
/// machine's: of every group n values, and for each its position in the group, ceil(log2 m) bits
/// wide; positions ascend within a group. A pair has one position, counted in pairs.
struct Compressed {
  Pattern pattern;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t groups = 0;         // per row
  std::int64_t words_per_row = 0;  // of metadata: every row starts a new word
  std::vector<float> values;       // rows x groups x n
  /// rows x words_per_row; positions follow each other without gaps, bit 0 of a row's word 0 first.
  std::vector<std::uint32_t> metadata;
};

/// Stores the non-zeros of every group; one that has fewer than n (or fewer than n/2 pairs that
/// hold some) is filled up with its lowest unused positions, whose values are zeros. Throws
/// ConfigError naming row and group if a group has more.
[[nodiscard]] Compressed compress(const Matrix& matrix, Pattern pattern);

}  // namespace stcsim::pruning
