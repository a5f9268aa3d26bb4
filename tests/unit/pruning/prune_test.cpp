#include "pruning/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.hpp"
#include "pruning/channel_permutation.hpp"
#include "pruning/random_stream.hpp"
#include "pruning/schemes.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using stcsim::test::message_of;
using test::base_seed;
using test::seed_text;
using ::testing::HasSubstr;

PruneOptions options_for(const Scheme& scheme, Pattern pattern, std::size_t axis,
                         const std::vector<std::int64_t>& shape) {
  PruneOptions options;
  options.pattern = scheme.only.value_or(pattern);
  options.axis = axis;
  options.seed = base_seed();
  options.candidates = 3;
  options.iterations = 5;
  if (scheme.heeds(Setting::samples)) {
    options.samples = generated_input("normal:9x" + std::to_string(shape[axis]), base_seed());
  }
  return options;
}

Tensor random_tensor(const std::vector<std::int64_t>& shape) {
  return generated_input("normal:" + shape_text(shape), base_seed());
}

std::int64_t violations(const Tensor& tensor, std::size_t axis,
                        const std::vector<std::int64_t>& order, Pattern pattern) {
  Matrix lines = to_planes(tensor, {axis, {}}).front();
  if (!order.empty()) lines = reordered(lines, order);
  return count_violations(lines, pattern);
}

bool runs_on(const Scheme& scheme, const std::vector<std::int64_t>& shape) {
  if (scheme.heeds(Setting::samples)) return shape.size() == 2;
  return scheme.kind == Kind::groups || shape.size() > 1;
}

const std::vector<std::vector<std::int64_t>> kShapes{{16, 24}, {5, 7},     {1, 3},
                                                     {13},     {3, 6, 10}, {9, 5, 3, 3}};

/// One scheme after the other.
class EveryScheme : public ::testing::TestWithParam<std::string> {
 protected:
  const Scheme& scheme_ = find_scheme(GetParam());
};

TEST_P(EveryScheme, HasThePatternAlongTheAxesItClaims) {
  SCOPED_TRACE(seed_text());
  for (const std::vector<std::int64_t>& shape : kShapes) {
    if (!runs_on(scheme_, shape)) continue;
    const Tensor tensor = random_tensor(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      for (const Pattern pattern : {Pattern{2, 4}, Pattern{1, 4}, Pattern{4, 8}, Pattern{2, 3}}) {
        const PruneOptions options = options_for(scheme_, pattern, axis, shape);
        SCOPED_TRACE(shape_text(shape) + " along " + std::to_string(axis) + " to " +
                     options.pattern.to_string());
        const Pruned result = prune(tensor, scheme_.name, options);
        EXPECT_EQ(result.values.shape, shape);
        EXPECT_EQ(result.axes.columns, axis);
        EXPECT_EQ(violations(result.values, axis, result.order, options.pattern), 0);
        ASSERT_EQ(result.axes.rows.has_value(), scheme_.kind != Kind::groups);
        if (!result.axes.rows) continue;
        const Tensor& second = result.backward ? *result.backward : result.values;
        EXPECT_EQ(violations(second, *result.axes.rows, result.rows_order, options.pattern), 0);
      }
    }
  }
}

TEST_P(EveryScheme, GivesTheSameWithAnyNumberOfThreads) {
  SCOPED_TRACE(seed_text());
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{37, 64}, {37, 66}}) {
    const Tensor tensor = random_tensor(shape);
    PruneOptions options = options_for(scheme_, {4, 8}, 1, shape);
    const Pruned one = prune(tensor, scheme_.name, options);
    for (const int threads : {2, 3, 64}) {
      options.how.threads = threads;
      const Pruned several = prune(tensor, scheme_.name, options);
      EXPECT_EQ(several.values.values, one.values.values) << threads;
      EXPECT_EQ(several.order, one.order);
      EXPECT_EQ(several.rows_order, one.rows_order);
      EXPECT_EQ(several.beta, one.beta);
    }
  }
}

TEST_P(EveryScheme, CopiesValuesOrNotAsItSaysAndLeavesZerosAlone) {
  SCOPED_TRACE(seed_text());
  Tensor tensor = random_tensor({16, 24});
  for (std::size_t i = 0; i < 200; ++i) tensor.values[i] = 0;
  const Pruned result = prune(tensor, scheme_.name, options_for(scheme_, {2, 4}, 1, tensor.shape));
  bool copies = true;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    const float value = result.values.values[i];
    copies = copies && (value == 0 || value == tensor.values[i]);
    if (tensor.values[i] == 0) {
      EXPECT_EQ(value, 0);
    }
  }
  EXPECT_EQ(copies, scheme_.copies_values);
}

TEST_P(EveryScheme, DiffersWithSeedAndDrawOnlyIfItDraws) {
  const Tensor tensor = random_tensor({16, 24});
  PruneOptions options = options_for(scheme_, {2, 4}, 1, tensor.shape);
  const std::vector<float> first = prune(tensor, scheme_.name, options).values.values;
  options.draw = 1;
  EXPECT_EQ(prune(tensor, scheme_.name, options).values.values != first, scheme_.random);
}

TEST_P(EveryScheme, NamesTheFirstElementThatIsNotFinite) {
  Tensor tensor = random_tensor({8, 8});
  tensor.values[8 * 2 + 3] = std::numeric_limits<float>::infinity();
  tensor.values[8 * 5] = -std::numeric_limits<float>::quiet_NaN();
  const PruneOptions options = options_for(scheme_, {2, 4}, 1, tensor.shape);
  EXPECT_EQ(
      message_of<ConfigError>([&] { static_cast<void>(prune(tensor, scheme_.name, options)); }),
      "error: element [2, 3] of the tensor is inf, must be a finite number");
}

TEST_P(EveryScheme, LetsNonFiniteElementsPassIfToldTo) {
  Tensor tensor = random_tensor({8, 8});
  tensor.values[8 * 2 + 3] = -std::numeric_limits<float>::infinity();
  tensor.values[8 * 5] = std::numeric_limits<float>::quiet_NaN();
  PruneOptions options = options_for(scheme_, {2, 4}, 1, tensor.shape);
  options.allow_non_finite = true;
  if (!scheme_.copies_values) {
    EXPECT_THROW(static_cast<void>(prune(tensor, scheme_.name, options)), ConfigError);
    return;
  }
  const Pruned result = prune(tensor, scheme_.name, options);
  EXPECT_EQ(violations(result.values, 1, result.order, options.pattern), 0);
  if (scheme_.random) return;  // keeps them or not
  EXPECT_EQ(result.values.values[8 * 2 + 3], tensor.values[8 * 2 + 3]);
  EXPECT_TRUE(std::isnan(result.values.values[8 * 5]));
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const Scheme& scheme : schemes()) names.emplace_back(scheme.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryScheme, ::testing::ValuesIn(scheme_names()),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(PruneTest, ShortFormIsTheLongOne) {
  const Tensor tensor = random_tensor({6, 8});
  PruneOptions options;
  options.axis = 1;
  options.seed = 9;
  EXPECT_EQ(prune(tensor, "mvue", {2, 4}, 1, 9).values,
            prune(tensor, "mvue", options).values.values);
}

TEST(PruneTest, RescalesEverySampleByItself) {
  // The worked example as 2 samples x 2 pixels x 4 channels, and with channels second.
  const Tensor nhwc{{2, 2, 4}, {1, 7, -3, 2, 4, -1, 0.5F, -2, 0.2F, -0.1F, 3, 5, 6, 2, -8, 1}};
  const Tensor nchw{{2, 4, 2}, {1, 4, 7, -1, -3, 0.5F, 2, -2, 0.2F, 6, -0.1F, 2, 3, -8, 5, 1}};
  const auto near = [](float value) { return ::testing::FloatNear(value, 1e-6F); };
  EXPECT_THAT(prune(nhwc, "rescaled-magnitude", {2, 4}, 2, 1).values,
              ::testing::ElementsAre(0, near(8), near(-3.5F), 0, near(5), 0, 0, near(-4), 0, 0,
                                     near(3), near(6), near(6.2F), 0, near(-8), 0));
  EXPECT_THAT(prune(nchw, "rescaled-magnitude", {2, 4}, 1, 1).values,
              ::testing::ElementsAre(0, near(5), near(8), 0, near(-3.5F), 0, 0, near(-4), 0,
                                     near(6.2F), 0, 0, near(3), near(-8), near(6), 0));
}

std::string refusal(const Tensor& tensor, std::string_view scheme, const PruneOptions& options) {
  return message_of<ConfigError>([&] { static_cast<void>(prune(tensor, scheme, options)); });
}

TEST(PruneTest, RefusesWhatDoesNotFit) {
  const Tensor matrix = random_tensor({8, 8});
  PruneOptions options;
  EXPECT_THAT(refusal(matrix, "magnitudes", options), HasSubstr("no pruning scheme 'magnitudes'"));
  options.pattern = {4, 4};
  EXPECT_THAT(refusal(matrix, "magnitude", options), HasSubstr("1 <= n < m <= 128"));
  options.pattern = {4, 8};
  EXPECT_THAT(refusal(matrix, "asp", options), HasSubstr("asp is for 2:4 only, not for 4:8"));
  options.pattern = {4, 8, 2};
  EXPECT_THAT(refusal(matrix, "mvue", options),
              HasSubstr("the scheme mvue keeps and drops single elements, not 4:8 pairs"));
  options.pattern = {4, 8};
  options.axis = 2;
  EXPECT_THAT(refusal(matrix, "magnitude", options), HasSubstr("no axis 2, its 2 axes"));
  options.axis = 1;
  options.rows_axis = 1;
  EXPECT_THAT(refusal(matrix, "transposable", options), HasSubstr("the second axis is 1"));
  options.rows_axis.reset();
  options.axis = 0;
  EXPECT_THAT(refusal(random_tensor({8}), "slope", options), HasSubstr("the tensor has one"));
  EXPECT_THAT(refusal(matrix, "adaprune", options), HasSubstr("needs calibration inputs"));
  options.samples = random_tensor({5, 7});
  EXPECT_THAT(refusal(matrix, "adaprune", options), HasSubstr("shape 5x7, must be samples x 8"));
  EXPECT_THAT(refusal(random_tensor({2, 2, 2}), "adaprune", options), HasSubstr("is for matrices"));
}

TEST(PruneTest, RefusesAResultBeyondFp32) {
  const Tensor huge{{1, 4}, {3e38F, 3e38F, 3e38F, 3e38F}};
  PruneOptions options;
  options.axis = 1;
  EXPECT_THAT(refusal(huge, "mvue", options), HasSubstr("leaves fp32's range"));
}

TEST(PruneTest, AFrozenBetaIsUsed) {
  const Tensor tensor = random_tensor({4, 8});
  PruneOptions options;
  options.axis = 1;
  options.beta = 1.0;
  const Pruned frozen = prune(tensor, "s-ste", options);
  EXPECT_EQ(frozen.beta, 1.0F);
  EXPECT_LE(test::magnitude_sum(frozen.values.values), test::magnitude_sum(tensor.values));
}

}  // namespace
}  // namespace stcsim::pruning
