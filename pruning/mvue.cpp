#include "pruning/mvue.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "pruning/groups.hpp"
#include "pruning/quad_kernels.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

double magnitude(float value) {
  return std::abs(static_cast<double>(value));
}

/// The source of a group's probabilities: certain elements have 1, the others |a| / step.
struct WaterLevel {
  std::array<bool, kMaxGroup> certain{};
  std::int64_t missing = 0;  // how many of the others are drawn
  double step = 0;           // 1 / lambda
};

/// Raises lambda until as many probabilities as necessary reach 1.
WaterLevel water_level(std::span<const float> group, std::int64_t n) {
  WaterLevel level{{}, n, 0};
  while (true) {
    double rest = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!level.certain.at(i)) rest += magnitude(group[i]);
    }
    if (rest == 0 || level.missing == 0) return level;
    level.step = rest / static_cast<double>(level.missing);
    const std::int64_t before = level.missing;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (level.certain.at(i) || magnitude(group[i]) < level.step) continue;
      level.certain.at(i) = true;
      --level.missing;
    }
    if (level.missing == before) return level;
  }
}

/// Sum of value^2 * (1/p - 1) over the elements that may be kept.
double variance(std::span<const float> group, std::span<const double> probabilities) {
  double sum = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double a = magnitude(group[i]);
    if (probabilities[i] > 0) sum += a * a * (1 / probabilities[i] - 1);
  }
  return sum;
}

/// Sum of `group_variance` over the groups of m, short ones filled up with zeros.
template <typename GroupVariance>
double total_variance(const Matrix& in, std::int64_t m, GroupVariance group_variance) {
  double total = 0;
  std::vector<float> group(static_cast<std::size_t>(m));
  for (std::int64_t row = 0; row < in.rows; ++row) {
    for (std::int64_t begin = 0; begin < in.columns; begin += m) {
      std::ranges::fill(group, 0.0F);
      const auto length = static_cast<std::size_t>(std::min(m, in.columns - begin));
      std::ranges::copy(in.row(row).subspan(static_cast<std::size_t>(begin), length),
                        group.begin());
      total += group_variance(std::span<const float>(group));
    }
  }
  return total;
}

/// Runs a kernel that takes `per_group` uniform numbers for each group of four.
template <typename Kernel>
void prune_quads(const Matrix& in, const RandomStream& stream, std::int64_t per_group, int threads,
                 Matrix& out, Kernel kernel) {
  transform_quads(
      in, threads, out, [&](std::int64_t first, std::int64_t count, const float* from, float* to) {
        std::array<float, 2 * kQuadBlock> uniforms;
        for (std::int64_t begin = 0; begin < count; begin += kQuadBlock) {
          const std::int64_t now = std::min(kQuadBlock, count - begin);
          stream.fill(static_cast<std::uint64_t>((first + begin) * per_group),
                      std::span(uniforms).first(static_cast<std::size_t>(now * per_group)));
          kernel(from + 4 * begin, uniforms.data(), now, to + 4 * begin);
        }
      });
}

constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kPairsOfFour{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// The pair whose part of the prefix sums `uniform` lies in; never one of probability 0.
std::size_t pick(const PairLaw& law, double uniform) {
  std::size_t chosen = 0;
  double prefix = 0;
  for (std::size_t pair = 0; pair < law.size(); ++pair) {
    if (law.at(pair) <= 0) continue;
    chosen = pair;
    prefix += law.at(pair);
    if (uniform <= prefix) break;
  }
  return chosen;
}

}  // namespace

void inclusion_probabilities(std::span<const float> group, std::int64_t n,
                             std::span<double> probabilities) {
  const WaterLevel level = water_level(group, n);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double share = group[i] == 0 ? 0 : magnitude(group[i]) / level.step;
    probabilities[i] = level.certain.at(i) ? 1 : share;
  }
}

double mvue_variance(std::span<const float> group, std::int64_t n) {
  std::array<double, kMaxGroup> probabilities{};
  inclusion_probabilities(group, n, probabilities);
  return variance(group, probabilities);
}

void mvue_group(std::span<const float> group, std::int64_t n, double uniform,
                std::span<float> out) {
  const WaterLevel level = water_level(group, n);
  const auto step = static_cast<float>(level.step);
  double prefix = 0;
  double threshold = uniform * level.step;
  for (std::size_t i = 0; i < group.size(); ++i) {
    out[i] = level.certain.at(i) ? group[i] : 0.0F;
    if (level.certain.at(i)) continue;
    prefix += magnitude(group[i]);
    if (prefix < threshold || group[i] == 0 || level.missing == 0) continue;
    out[i] = std::copysign(step, group[i]);
    threshold += level.step;
  }
}

void prune_mvue(const Matrix& in, Pattern pattern, std::uint64_t seed, std::uint32_t draw,
                int threads, Matrix& out) {
  const RandomStream stream(seed, Purpose::pruning, draw);
  if (pattern == kTwoOfFour) {
    return prune_quads(in, stream, 1, threads, out, &mvue_quads);
  }
  transform_groups(in, pattern.m, threads, out,
                   [&](std::int64_t group, std::span<const float> from, std::span<float> to) {
                     mvue_group(from, pattern.n, stream.uniform(static_cast<std::uint64_t>(group)),
                                to);
                   });
}

std::array<double, 4> approximate_inclusion_probabilities(std::span<const float, 4> group) {
  constexpr double kGuard = 1.19e-7;
  std::array<double, 4> a{};
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] = magnitude(group[i]) + kGuard;
  std::array<double, 4> probabilities{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    probabilities[i] = a[i] / sum;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (j != i) probabilities[i] += a[i] * (a[j] / sum) / (sum - a[j]);
    }
  }
  return probabilities;
}

void prune_approximate_mvue(const Matrix& in, std::uint64_t seed, std::uint32_t draw, int threads,
                            Matrix& out) {
  prune_quads(in, RandomStream(seed, Purpose::pruning, draw), 2, threads, out,
              &approximate_mvue_quads);
}

double mvue_variance(const Matrix& in, Pattern pattern) {
  return total_variance(
      in, pattern.m, [&](std::span<const float> group) { return mvue_variance(group, pattern.n); });
}

double approximate_mvue_variance(const Matrix& in) {
  return total_variance(in, 4, [](std::span<const float> group) {
    return variance(group, approximate_inclusion_probabilities(group.first<4>()));
  });
}

PairLaw pair_law(std::span<const double, 4> ascending) {
  const auto [a, b, c, d] = std::array{ascending[0], ascending[1], ascending[2], ascending[3]};
  const double sum = a + b + c + d;
  const double smaller = a + b + c;
  if (d >= smaller) {
    if (smaller == 0) return {0, 0, 0, 0, 0, 1};
    return {0, 0, a / smaller, 0, b / smaller, c / smaller};
  }
  const double last = (c + d - a - b) / sum;
  if (2 * a + c - d > 0) {
    return {0,
            (2 * a + c - d) / (2 * sum),
            (2 * a - c + d) / (2 * sum),
            (2 * b + c - d) / (2 * sum),
            (2 * b - c + d) / (2 * sum),
            last};
  }
  return {0, 0, 2 * a / sum, (a + b + c - d) / sum, (b + d - a - c) / sum, last};
}

void mvue_pair_group(std::span<const float, 4> group, double uniform, std::span<float, 4> out) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return std::abs(group[index]); });
  std::array<double, 4> ascending{};
  for (std::size_t i = 0; i < 4; ++i) ascending.at(i) = std::abs(group[order.at(i)]);
  const double smaller = ascending[0] + ascending[1] + ascending[2];
  const bool largest_stays = ascending[3] >= smaller;
  const auto value = static_cast<float>(largest_stays ? smaller : (smaller + ascending[3]) / 2);
  std::ranges::fill(out, 0.0F);
  const auto [first, second] = kPairsOfFour.at(pick(pair_law(ascending), uniform));
  for (const std::size_t rank : {first, second}) {
    const std::size_t index = order.at(rank);
    const bool stays = largest_stays && rank == 3;
    out[index] = stays || group[index] == 0 ? group[index] : std::copysign(value, group[index]);
  }
}

void prune_mvue_pairs(const Matrix& in, std::uint64_t seed, std::uint32_t draw, int threads,
                      Matrix& out) {
  const RandomStream stream(seed, Purpose::pruning, draw);
  transform_groups(in, 4, threads, out,
                   [&](std::int64_t group, std::span<const float> from, std::span<float> to) {
                     mvue_pair_group(from.first<4>(),
                                     stream.uniform(static_cast<std::uint64_t>(group)),
                                     to.first<4>());
                   });
}

}  // namespace stcsim::pruning
