#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/pattern.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/matrix.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning::test {

/// STCSIM_SEED=n repeats a failure; name it in messages with SCOPED_TRACE(seed_text()).
inline std::uint64_t base_seed() {
  const char* const text = std::getenv("STCSIM_SEED");
  return text == nullptr ? 20261121 : std::strtoull(text, nullptr, 10);
}
inline std::string seed_text() {
  return "STCSIM_SEED=" + std::to_string(base_seed());
}

inline Matrix matrix_of(std::int64_t rows, std::int64_t columns, std::vector<float> values) {
  Matrix matrix(rows, columns);
  matrix.values = std::move(values);
  return matrix;
}

/// Normal with mean 0 and variance 1.
inline Matrix normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  Matrix matrix(rows, columns);
  for (float& value : matrix.values) value = normal(engine);
  return matrix;
}

/// Whole numbers from -5 to 5, so that there are zeros and equal magnitudes.
inline Matrix coarse_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_int_distribution<int> number(-5, 5);
  Matrix matrix(rows, columns);
  for (float& value : matrix.values) value = static_cast<float>(number(engine));
  return matrix;
}

/// The same group in every row.
inline Matrix repeated_group(const std::vector<float>& group, std::int64_t rows) {
  Matrix matrix(rows, std::ssize(group));
  for (std::int64_t row = 0; row < rows; ++row) std::ranges::copy(group, matrix.row(row).begin());
  return matrix;
}

inline double magnitude_sum(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += std::abs(static_cast<double>(value));
  return sum;
}

/// What 2:4 along rows keeps of the magnitudes with columns in this order.
inline double kept(const Matrix& in, const std::vector<std::int64_t>& order) {
  Matrix out(in.rows, in.columns);
  prune_by_magnitude(reordered(in, order), {2, 4}, 1, out);
  return magnitude_sum(out.values);
}

inline std::vector<std::int64_t> given_order(const Matrix& in) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(in.columns));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

using Prune = std::function<void(const Matrix&, Pattern, const Execution&, Matrix&)>;

inline Matrix pruned(const Prune& prune, const Matrix& in, Pattern pattern, int threads = 1) {
  Matrix out(in.rows, in.columns);
  prune(in, pattern, {threads, {}}, out);
  return out;
}

inline void exhaustive(const Matrix& in, Pattern, const Execution& how, Matrix& out) {
  prune_exhaustively(in, how, out);
}

/// Mean and mean square deviation from it, per column.
struct ColumnMoments {
  std::vector<double> mean;
  std::vector<double> variance;
};

inline ColumnMoments column_moments(const Matrix& matrix) {
  ColumnMoments moments;
  const auto rows = static_cast<double>(matrix.rows);
  for (std::int64_t column = 0; column < matrix.columns; ++column) {
    double mean = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row) mean += matrix.at(row, column) / rows;
    double variance = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      variance += std::pow(matrix.at(row, column) - mean, 2) / rows;
    }
    moments.mean.push_back(mean);
    moments.variance.push_back(variance);
  }
  return moments;
}

}  // namespace stcsim::pruning::test
