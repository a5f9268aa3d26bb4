#include "pruning/double_pruning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pruning/channel_permutation.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/mask_counts.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

double magnitude_sum(const Matrix& matrix) {
  double sum = 0;
  for (const float value : matrix.values) sum += std::abs(static_cast<double>(value));
  return sum;
}

/// The rest after magnitude pruning along the rows of matrices whose columns are reordered.
std::vector<Matrix> prune_reordered(const std::vector<Matrix>& matrices, Pattern pattern,
                                    const std::vector<std::int64_t>& order, int threads) {
  std::vector<Matrix> pruned;
  for (const Matrix& matrix : matrices) {
    const Matrix in_order = reordered(matrix, order);
    Matrix result(matrix.rows, matrix.columns);
    prune_by_magnitude(in_order, pattern, threads, result);
    pruned.push_back(std::move(result));
  }
  return pruned;
}

double survivors(const std::vector<Matrix>& matrices, Pattern pattern,
                 const std::vector<std::int64_t>& order, int threads) {
  double sum = 0;
  for (const Matrix& matrix : prune_reordered(matrices, pattern, order, threads)) {
    sum += magnitude_sum(matrix);
  }
  return sum;
}

}  // namespace

DoublePruned prune_double(const std::vector<Matrix>& planes, Pattern pattern,
                          const Execution& how) {
  return prune_bi_mask(planes, pattern, 0, 0, how);
}

DoublePruned prune_bi_mask(const std::vector<Matrix>& planes, Pattern pattern, int candidates,
                           std::uint64_t seed, const Execution& how) {
  DoublePruned result;
  std::vector<Matrix> columns;
  for (const Matrix& plane : planes) {
    Matrix& forward = result.forward.emplace_back(plane.rows, plane.columns);
    prune_by_magnitude(plane, pattern, how.threads, forward);
    columns.push_back(transposed(forward));
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(planes.front().rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  result.row_order = order;
  double most = survivors(columns, pattern, order, how.threads);
  RandomSequence random{RandomStream(seed, Purpose::permutation)};
  for (int candidate = 0; candidate < candidates; ++candidate) {
    random.shuffle(order);
    const double sum = survivors(columns, pattern, order, how.threads);
    if (sum > most) result.row_order = order;
    most = std::max(most, sum);
    if (how.progress) how.progress(candidate + 1, candidates);
  }
  for (const Matrix& pruned : prune_reordered(columns, pattern, result.row_order, how.threads)) {
    result.backward.push_back(transposed(restored(pruned, result.row_order)));
  }
  return result;
}

double expected_extra_zeros(Pattern pattern) {
  const double kept = pattern.share();
  double sum = 0;
  for (std::int64_t j = pattern.n + 1; j <= pattern.m; ++j) {
    sum += binomial_probability(pattern.m, j, kept) * static_cast<double>(j - pattern.n) /
           static_cast<double>(pattern.m);
  }
  return sum;
}

}  // namespace stcsim::pruning
