#include "pruning/stripe_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "pruning/clones.hpp"

namespace stcsim::pruning {
namespace {

/// Sums side by side, which vectorise.
constexpr std::int64_t kLanes = 16;
/// Gains below this share of what is kept are rounding.
constexpr double kLeastGain = 1e-6;

/// Sum of the two largest of a[i], b[i], c[i], d[i] over all i; rows is a multiple of kLanes.
STCSIM_CLONES
float sum_two_largest(const float* a, const float* b, const float* c, const float* d,
                      std::int64_t rows) {
  float sums[kLanes] = {};
  for (std::int64_t row = 0; row < rows; row += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t i = row + lane;
      const float same_side = std::max(a[i] + b[i], c[i] + d[i]);
      const float across = std::max(a[i], b[i]) + std::max(c[i], d[i]);
      sums[lane] += std::max(same_side, across);
    }
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

ColumnMagnitudes::ColumnMagnitudes(const Matrix& matrix)
    : padded_rows_((matrix.rows + kLanes - 1) / kLanes * kLanes),
      values_(static_cast<std::size_t>(padded_rows_ * matrix.columns)) {
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      values_[static_cast<std::size_t>(column * padded_rows_ + row)] =
          std::abs(matrix.at(row, column));
    }
  }
}

double ColumnMagnitudes::kept(const std::int64_t* columns) const {
  const auto at = [this](std::int64_t column) {
    return &values_[static_cast<std::size_t>(column * padded_rows_)];
  };
  return sum_two_largest(at(columns[0]), at(columns[1]), at(columns[2]), at(columns[3]),
                         padded_rows_);
}

Grouping ColumnMagnitudes::best_grouping(const StripePair& columns) const {
  const double before = kept(columns.data()) + kept(columns.data() + 4);
  Grouping best{columns, 0};
  double most = before * (1 + kLeastGain);
  // Bit i set: column i goes to the first stripe; column 0 always does.
  for (unsigned chosen = 0; chosen < 128; ++chosen) {
    const unsigned bits = 2 * chosen + 1;
    if (std::popcount(bits) != 4) continue;
    StripePair shared{};
    auto first = shared.begin();
    auto second = shared.begin() + 4;
    for (unsigned i = 0; i < 8; ++i) *(((bits >> i) & 1) != 0 ? first : second)++ = columns.at(i);
    const double now = kept(shared.data()) + kept(shared.data() + 4);
    if (now <= most) continue;
    most = now;
    best = {shared, now - before};
  }
  return best;
}

}  // namespace stcsim::pruning
