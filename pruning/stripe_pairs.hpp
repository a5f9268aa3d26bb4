#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// The columns of two stripes of four.
using StripePair = std::array<std::int64_t, 8>;

/// How best to share eight columns out to two stripes.
struct Grouping {
  StripePair columns{};
  double gain = 0;  // magnitude 2:4 keeps beyond what it kept before; 0 if that was best
};

/// The magnitudes of a matrix, column after column: what 2:4 keeps of any four columns.
class ColumnMagnitudes {
 public:
  explicit ColumnMagnitudes(const Matrix& matrix);

  /// Sum over the rows of the two largest of four columns, in fp32 over 16 interleaved sums.
  [[nodiscard]] double kept(const std::int64_t* columns) const;

  [[nodiscard]] Grouping best_grouping(const StripePair& columns) const;

 private:
  std::int64_t padded_rows_;
  std::vector<float> values_;
};

}  // namespace stcsim::pruning
