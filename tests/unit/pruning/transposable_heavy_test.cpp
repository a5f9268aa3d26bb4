#include <functional>

#include <gtest/gtest.h>

#include "pruning/magnitude.hpp"
#include "pruning/transposable.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::magnitude_sum;
using test::normal_matrix;
using test::seed_text;

using Prune = std::function<void(const Matrix&, Pattern, const Execution&, Matrix&)>;

Matrix pruned(const Prune& prune, const Matrix& in, Pattern pattern, int threads = 1) {
  Matrix out(in.rows, in.columns);
  prune(in, pattern, {threads, {}}, out);
  return out;
}

void exhaustive(const Matrix& in, Pattern, const Execution& how, Matrix& out) {
  prune_exhaustively(in, how, out);
}

// Shares of L1 on normal data, from a program of its own with half a million blocks and more. The
// tolerance is five standard errors of 4,096 blocks.
TEST(Transposable, KeepsTheExpectedShareOfANormalMatrix) {
  SCOPED_TRACE(seed_text());
  const Matrix in = normal_matrix(512, 512, base_seed());
  const double total = magnitude_sum(in.values);
  const auto share = [&](const Prune& prune, Pattern pattern) {
    return magnitude_sum(pruned(prune, in, pattern).values) / total;
  };
  constexpr double kTolerance = 0.0021;
  EXPECT_NEAR(share(exhaustive, {2, 4}), 0.7024, kTolerance);
  EXPECT_NEAR(share(prune_transposable_exactly, {2, 4}), 0.7024, kTolerance);
  EXPECT_NEAR(share(prune_greedy_keep, {2, 4}), 0.6921, kTolerance);
  EXPECT_NEAR(share(prune_greedy_prune, {2, 4}), 0.6302, kTolerance);
  EXPECT_NEAR(share(prune_greedy_keep, {4, 8}), 0.7337, kTolerance);
  EXPECT_NEAR(share(prune_greedy_prune, {4, 8}), 0.6855, kTolerance);
}

// Hubara et al., Fig. 3: a transposable 4:8 mask keeps as much as a 2:4 mask of one axis.
TEST(Transposable, FourOfEightKeepsAsMuchAsTwoOfFourAlongOneAxis) {
  SCOPED_TRACE(seed_text());
  const Matrix in = normal_matrix(256, 256, base_seed());
  Matrix one_axis(256, 256);
  prune_by_magnitude(in, {2, 4}, 1, one_axis);
  EXPECT_NEAR(
      magnitude_sum(pruned(prune_transposable, in, {4, 8}).values) / magnitude_sum(one_axis.values),
      1, 0.01);
}

}  // namespace
}  // namespace stcsim::pruning
