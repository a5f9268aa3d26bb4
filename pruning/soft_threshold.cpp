#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "pruning/groups.hpp"
#include "pruning/magnitude.hpp"
#include "pruning/quad_kernels.hpp"

namespace stcsim::pruning {
namespace {

/// Sums over a row: <w, S(w)> and |S(w)|^2.
struct Projection {
  double along = 0;
  double square = 0;
};

Projection projection(std::span<const float> values, std::span<const float> softened) {
  constexpr std::size_t kLanes = 8;  // independent sums, which vectorise
  std::array<double, kLanes> along{};
  std::array<double, kLanes> square{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double s = softened[i];
    along.at(i % kLanes) += values[i] * s;
    square.at(i % kLanes) += s * s;
  }
  Projection sums;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.along += along.at(lane);
    sums.square += square.at(lane);
  }
  return sums;
}

void soften_group(std::span<const float> from, Pattern pattern, float beta, std::span<float> to) {
  std::array<std::int32_t, kMaxGroup> ranks;
  magnitude_ranks(from, ranks);
  float threshold = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (ranks[i] == pattern.n) threshold = std::abs(from[i]);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const float left = std::max(std::abs(from[i]) - threshold, 0.0F);
    to[i] = std::copysign(left * beta, from[i]);
  }
}

}  // namespace

void soft_threshold(const Matrix& in, Pattern pattern, float beta, int threads, Matrix& out) {
  if (pattern == kTwoOfFour) {
    transform_quads(in, threads, out,
                    [beta](std::int64_t, std::int64_t count, const float* from, float* to) {
                      soft_threshold_quads(from, count, beta, to);
                    });
    return;
  }
  transform_groups(in, pattern.m, threads, out,
                   [&](std::int64_t, std::span<const float> from, std::span<float> to) {
                     soften_group(from, pattern, beta, to);
                   });
}

float soft_threshold_scale(const Matrix& in, Pattern pattern, int threads) {
  Matrix softened(in.rows, in.columns);
  soft_threshold(in, pattern, 1.0F, threads, softened);
  std::vector<Projection> rows(static_cast<std::size_t>(in.rows));
  parallel_ranges(in.rows, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      rows[static_cast<std::size_t>(row)] = projection(in.row(row), softened.row(row));
    }
  });
  Projection total;
  for (const Projection& row : rows) {
    total.along += row.along;
    total.square += row.square;
  }
  return total.square == 0 ? 1.0F : static_cast<float>(total.along / total.square);
}

}  // namespace stcsim::pruning
