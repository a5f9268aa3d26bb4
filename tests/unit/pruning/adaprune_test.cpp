#include "pruning/adaprune.hpp"

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

Matrix masked(const Matrix& weights, Pattern pattern) {
  Matrix out(weights.rows, weights.columns);
  prune_by_magnitude(weights, pattern, 1, out);
  return out;
}

TEST(AdaPrune, KeptWeightsAbsorbThePrunedOnesOfTheirGroup) {
  const Matrix weights = matrix_of(1, 6, {4, 1, -3, 0.5F, 2, 1});
  const auto close = [](float value) { return FloatNear(value, 1e-6F); };
  EXPECT_THAT(absorbed(weights, masked(weights, {2, 4}), {2, 4}).values,
              ElementsAre(close(4.75F), 0, close(-2.25F), 0, 2, 1));
}

TEST(AdaPrune, CalibrationErrorIsTheMeanSquareOfTheOutputsDifference) {
  const Matrix weights = matrix_of(2, 2, {1, 2, 3, 4});
  const Matrix changed = matrix_of(2, 2, {1, 0, 3, 5});
  const Matrix samples = matrix_of(3, 2, {1, 1, 0, 2, 5, 0});
  // Differences (0, -2) and (0, 1) give outputs -2, -4, 0 and 1, 2, 0.
  EXPECT_DOUBLE_EQ(calibration_error(weights, changed, samples), (4 + 16 + 1 + 4) / 6.0);
}

// One weight left: the best is w0 + w1 <x0, x1> / <x0, x0>, linear regression through the origin.
TEST(AdaPrune, ConvergesToTheLeastSquaresWeight) {
  SCOPED_TRACE(seed_text());
  Matrix samples = test::normal_matrix(40, 2, base_seed());
  double own = 0;
  double cross = 0;
  for (std::int64_t i = 0; i < samples.rows; ++i) {
    samples.at(i, 1) += 0.5F * samples.at(i, 0);
    own += static_cast<double>(samples.at(i, 0)) * samples.at(i, 0);
    cross += static_cast<double>(samples.at(i, 0)) * samples.at(i, 1);
  }
  const Matrix weights = matrix_of(1, 2, {1.0F, 0.4F});
  const Matrix result = adaprune(weights, {1, 2}, samples, {}, {});
  EXPECT_NEAR(result.at(0, 0), 1 + 0.4 * cross / own, 1e-3);
  EXPECT_EQ(result.at(0, 1), 0);
}

TEST(AdaPrune, LowersTheErrorAndKeepsTheMask) {
  SCOPED_TRACE(seed_text());
  const Matrix weights = test::normal_matrix(8, 32, base_seed());
  const Matrix samples = test::normal_matrix(120, 32, base_seed() + 1);
  const Matrix mask = masked(weights, {2, 4});
  AdaPruneOptions options;
  options.seed = base_seed();
  const Matrix result = adaprune(weights, {2, 4}, samples, options, {});
  EXPECT_LT(calibration_error(weights, result, samples), calibration_error(weights, mask, samples));
  EXPECT_LT(calibration_error(weights, result, samples),
            calibration_error(weights, absorbed(weights, mask, {2, 4}), samples));
  for (std::size_t i = 0; i < mask.values.size(); ++i) {
    if (mask.values[i] == 0) {
      EXPECT_EQ(result.values[i], 0);
    }
  }
  EXPECT_EQ(adaprune(weights, {2, 4}, samples, options, {3, {}}).values, result.values);
}

TEST(SrSte, DecaysWhatIsPruned) {
  const Matrix weights = matrix_of(1, 4, {0.9F, -0.3F, 0.5F, -0.1F});
  const Matrix decay = sr_ste_decay(weights, masked(weights, {2, 4}), 2e-4F);
  EXPECT_THAT(decay.values, ElementsAre(0, 2e-4F * -0.3F, 0, 2e-4F * -0.1F));
}

}  // namespace
}  // namespace stcsim::pruning
