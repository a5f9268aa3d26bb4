#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "pruning/blocks.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

/// Weight of the sum of magnitudes beside the entropy, of a block whose largest magnitude is 1: a
/// plan as sharp as a double's range allows, exp(-kSharpness) being its smallest element.
constexpr double kSharpness = 60;
/// Sums of rows and columns are as close to n as this when the iteration ends.
constexpr double kCloseEnough = 1e-3;

}  // namespace

TransportSolver::TransportSolver(Pattern pattern) : pattern_(pattern) {
  const auto size = static_cast<std::size_t>(pattern.m * pattern.m);
  plan_.resize(size);
  excess_.resize(size);
  order_.resize(size);
  in_row_.resize(static_cast<std::size_t>(pattern.m));
  in_column_.resize(in_row_.size());
  sums_.resize(in_row_.size());
}

void TransportSolver::solve(std::span<const float> block, std::span<std::uint8_t> keep) {
  find_plan(block);
  round_plan(block, keep);
  while (exchange_once(block, keep)) {
  }
}

void TransportSolver::find_plan(std::span<const float> block) {
  double largest = 0;
  for (const float value : block) largest = std::max(largest, std::abs(double{value}));
  for (std::size_t at = 0; at < plan_.size(); ++at) {
    const double share = largest > 0 ? std::abs(double{block[at]}) / largest : 0;
    plan_[at] = std::exp(kSharpness * (share - 1));
  }
  std::ranges::fill(excess_, 1.0);
  for (int round = 0; round < kRounds; ++round) {
    if (scale_columns(scale_rows()) < kCloseEnough) return;
    // At most 1 of each; what has been cut off is put back before the next cut (Dykstra).
    for (std::size_t at = 0; at < plan_.size(); ++at) {
      const double uncut = plan_[at] * excess_[at];
      plan_[at] = std::min(uncut, 1.0);
      excess_[at] = uncut / plan_[at];
    }
  }
}

double TransportSolver::scale_rows() {
  const auto size = static_cast<std::size_t>(pattern_.m);
  const auto wanted = static_cast<double>(pattern_.n);
  double furthest = 0;
  for (std::size_t row = 0; row < size; ++row) {
    const auto begin = plan_.begin() + static_cast<std::ptrdiff_t>(row * size);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    const double sum = std::accumulate(begin, end, 0.0);
    furthest = std::max(furthest, std::abs(sum - wanted));
    std::for_each(begin, end, [&](double& one) { one *= wanted / sum; });
  }
  return furthest;
}

double TransportSolver::scale_columns(double furthest) {
  const auto size = static_cast<std::size_t>(pattern_.m);
  const auto wanted = static_cast<double>(pattern_.n);
  std::ranges::fill(sums_, 0.0);
  for (std::size_t at = 0; at < plan_.size(); ++at) sums_[at % size] += plan_[at];
  for (double& sum : sums_) {
    furthest = std::max(furthest, std::abs(sum - wanted));
    sum = wanted / sum;
  }
  for (std::size_t at = 0; at < plan_.size(); ++at) plan_[at] *= sums_[at % size];
  return furthest;
}

void TransportSolver::round_plan(std::span<const float> block, std::span<std::uint8_t> keep) {
  const auto size = static_cast<std::size_t>(pattern_.m);
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
    if (plan_[a] != plan_[b]) return plan_[a] > plan_[b];
    const float of_a = std::abs(block[a]);
    const float of_b = std::abs(block[b]);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  std::ranges::fill(in_row_, 0);
  std::ranges::fill(in_column_, 0);
  for (const std::uint32_t at : order_) {
    std::int64_t& row = in_row_[at / size];
    std::int64_t& column = in_column_[at % size];
    keep[at] = row < pattern_.n && column < pattern_.n ? 1 : 0;
    row += keep[at];
    column += keep[at];
  }
}

bool TransportSolver::exchange_once(std::span<const float> block, std::span<std::uint8_t> keep) {
  const auto size = static_cast<std::size_t>(pattern_.m);
  const auto lacking = [&](const std::vector<std::int64_t>& counts) {
    const auto found =
        std::ranges::find_if(counts, [&](std::int64_t one) { return one < pattern_.n; });
    return static_cast<std::size_t>(found - counts.begin());
  };
  const std::size_t row = lacking(in_row_);
  const std::size_t column = lacking(in_column_);
  if (row == size) return false;
  // Element (i, j) makes room for (row, j) and (i, column).
  const auto magnitude = [&](std::size_t i, std::size_t j) {
    return std::abs(double{block[i * size + j]});
  };
  double most = -1;
  std::size_t best = 0;
  for (std::size_t at = 0; at < plan_.size(); ++at) {
    const std::size_t i = at / size;
    const std::size_t j = at % size;
    const bool is_possible =
        keep[at] != 0 && keep[row * size + j] == 0 && keep[i * size + column] == 0;
    if (!is_possible) continue;
    const double gain = magnitude(row, j) + magnitude(i, column) - magnitude(i, j);
    if (gain > most) {
      most = gain;
      best = at;
    }
  }
  if (most < 0) return false;
  keep[best] = 0;
  keep[row * size + best % size] = 1;
  keep[best / size * size + column] = 1;
  ++in_row_[row];
  ++in_column_[column];
  return true;
}

void prune_by_transport(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = TransportSolver(pattern)](std::span<const float> block,
                                               std::span<std::uint8_t> keep) mutable {
      solver.solve(block, keep);
    };
  });
}

}  // namespace stcsim::pruning
