#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "pruning/channel_permutation.hpp"
#include "pruning/magnitude.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::seed_text;

double kept(const Matrix& in, const std::vector<std::int64_t>& order) {
  Matrix out(in.rows, in.columns);
  prune_by_magnitude(reordered(in, order), {2, 4}, 1, out);
  return test::magnitude_sum(out.values);
}

std::vector<std::int64_t> given_order(const Matrix& in) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(in.columns));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Matrix uniform_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<float> number(0, 1);
  Matrix matrix(rows, columns);
  for (float& value : matrix.values) value = number(engine);
  return matrix;
}

/// How far from what the given order keeps to what the larger half of each row would.
double share_of_the_way(const Matrix& in, std::uint64_t seed) {
  double half_rows = 0;
  for (std::int64_t row = 0; row < in.rows; ++row) {
    std::vector<float> values(in.row(row).begin(), in.row(row).end());
    std::ranges::sort(values, std::ranges::greater{});
    values.resize(values.size() / 2);
    half_rows += test::magnitude_sum(values);
  }
  const double given = kept(in, given_order(in));
  return (kept(in, find_channel_order(in, 100, seed, {})) - given) / (half_rows - given);
}

// The authors' example, 128x64 uniform numbers: 2852.4 in the given order, 2919.8 by this search
// and 3060.2 with the larger half of each row, 32 % of the way. Another matrix may differ by 3 %.
TEST(ChannelPermutation, GoesAsFarAsTheAuthorsSearchDoes) {
  SCOPED_TRACE(seed_text());
  constexpr std::uint64_t kMatrices = 16;
  double sum = 0;
  for (std::uint64_t round = 0; round < kMatrices; ++round) {
    sum += share_of_the_way(uniform_matrix(128, 64, base_seed() + round), round);
  }
  EXPECT_GT(sum / kMatrices, 0.32 - 0.03);
}

}  // namespace
}  // namespace stcsim::pruning
