#include "pruning/mvue_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "pruning/groups.hpp"
#include "pruning/random_stream.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kPairs{
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
  const auto [first, second] = kPairs.at(pick(pair_law(ascending), uniform));
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
