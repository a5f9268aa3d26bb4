#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pruning/magnitude.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::matrix_of;
using test::seed_text;
using testing::ElementsAre;
using testing::FloatNear;

const Matrix kExample = matrix_of(2, 4, {0.9F, -0.3F, 0.5F, -0.1F, -1.2F, 0.4F, 0.4F, 0.8F});

TEST(SoftThreshold, GivesTheWorkedExample) {
  Matrix out(2, 4);
  soft_threshold(kExample, {2, 4}, 1, 1, out);
  const auto close = [](float value) { return FloatNear(value, 1e-7F); };
  EXPECT_THAT(out.values,
              ElementsAre(close(0.6F), 0, close(0.2F), 0, close(-0.8F), 0, 0, close(0.4F)));
  EXPECT_NEAR(soft_threshold_scale(kExample, {2, 4}, 1), 1.6, 1e-6);
}

TEST(SoftThreshold, ScalesTheResult) {
  Matrix once(2, 4);
  Matrix scaled(2, 4);
  soft_threshold(kExample, {2, 4}, 1, 1, once);
  soft_threshold(kExample, {2, 4}, 4, 1, scaled);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(scaled.values[i], 4 * once.values[i]);
}

/// The definition: subtract the (n+1)-th largest magnitude of the group.
float softened(std::span<const float> group, std::size_t at, std::int64_t n, std::int64_t m) {
  std::vector<float> magnitudes(static_cast<std::size_t>(m));
  std::ranges::transform(group, magnitudes.begin(), [](float x) { return std::abs(x); });
  std::ranges::sort(magnitudes, std::ranges::greater{});
  const float left = std::abs(group[at]) - magnitudes[static_cast<std::size_t>(n)];
  return left > 0 ? std::copysign(left, group[at]) : 0;
}

TEST(SoftThreshold, IsItsDefinitionForEveryPatternAndEdge) {
  SCOPED_TRACE(seed_text());
  for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 4}, Pattern{4, 8}, Pattern{3, 5}}) {
    for (const std::int64_t columns : {1, 4, 6, 515, 520}) {
      const Matrix in = test::coarse_matrix(3, columns, base_seed());
      Matrix out(3, columns);
      soft_threshold(in, pattern, 1, 2, out);
      EXPECT_EQ(count_violations(out, pattern), 0);
      for (std::int64_t row = 0; row < 3; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
          const std::int64_t begin = column / pattern.m * pattern.m;
          const auto group =
              in.row(row).subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(std::min(pattern.m, columns - begin)));
          ASSERT_EQ(out.at(row, column),
                    softened(group, static_cast<std::size_t>(column - begin), pattern.n, pattern.m))
              << pattern.to_string() << " " << row << " " << column;
        }
      }
    }
  }
}

// From a program of its own with 40 million groups; the tolerance is five standard errors of
// 262,144.
TEST(SoftThreshold, ScaleIsTheKnownOneForKnownDistributions) {
  SCOPED_TRACE(seed_text());
  const Matrix normal = test::normal_matrix(1024, 1024, base_seed());
  EXPECT_NEAR(soft_threshold_scale(normal, {2, 4}, 1), 1.4837, 0.005);
  std::mt19937_64 engine(base_seed());
  std::uniform_real_distribution<float> number(-1, 1);
  Matrix uniform(1024, 1024);
  for (float& value : uniform.values) value = number(engine);
  EXPECT_NEAR(soft_threshold_scale(uniform, {2, 4}, 1), 1.750, 0.005);
}

TEST(SoftThreshold, ScaleIsTheBestOneInTheLeastSquaresSense) {
  SCOPED_TRACE(seed_text());
  const Matrix in = test::normal_matrix(32, 32, base_seed());
  const float beta = soft_threshold_scale(in, {2, 4}, 1);
  const auto error = [&](float scale) {
    Matrix out(32, 32);
    soft_threshold(in, {2, 4}, scale, 1, out);
    double sum = 0;
    for (std::size_t i = 0; i < in.values.size(); ++i) {
      sum += std::pow(static_cast<double>(out.values[i]) - in.values[i], 2);
    }
    return sum;
  };
  EXPECT_LT(error(beta), error(beta * 1.01F));
  EXPECT_LT(error(beta), error(beta * 0.99F));
}

TEST(SoftThreshold, ScaleDoesNotDependOnThreadsAndIsOneForNothingLeft) {
  const Matrix in = test::normal_matrix(37, 123, 1);
  EXPECT_EQ(soft_threshold_scale(in, {2, 4}, 1), soft_threshold_scale(in, {2, 4}, 3));
  EXPECT_EQ(soft_threshold_scale(matrix_of(1, 4, {2, 2, 2, 2}), {2, 4}, 1), 1);
}

}  // namespace
}  // namespace stcsim::pruning
