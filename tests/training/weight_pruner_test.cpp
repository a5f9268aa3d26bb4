#include <random>

#include <gtest/gtest.h>

#include "pruning/magnitude.hpp"
#include "pruning/matrix.hpp"
#include "tests/training/support.hpp"
#include "training/operand_pruners.hpp"

namespace stcsim::training {
namespace {

pruning::Tensor random_weights(std::int64_t out, std::int64_t taps, std::int64_t in,
                               std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  pruning::Tensor tensor{{out, taps, taps, in},
                         std::vector<float>(static_cast<std::size_t>(out * taps * taps * in))};
  for (float& value : tensor.values) value = normal(generator);
  return tensor;
}

std::vector<bool> zeros_of(const pruning::Tensor& tensor) {
  std::vector<bool> zeros;
  for (const float value : tensor.values) zeros.push_back(value == 0);
  return zeros;
}

std::int64_t weight_violations(const pruning::Tensor& tensor, std::size_t axis, Pattern pattern) {
  return pruning::count_violations(pruning::to_planes(tensor, {axis, {}}).front(), pattern);
}

class WeightPruning : public ::testing::Test {
 protected:
  static Scheme on_convolutions(const char* name) {
    Scheme scheme = load_scheme(name);
    scheme.layers = {};
    return scheme;
  }
  const Layer layer_ = conv_layer(16, 32, 8, 3, 1, 1);
  const pruning::Tensor before_ = random_weights(32, 3, 16, 1);
  const pruning::Tensor after_ = random_weights(32, 3, 16, 2);
};

TEST_F(WeightPruning, OneTransposableMaskServesForwardAndDgrad) {
  for (const char* const name : {"transposable", "transposable-2-4", "fst", "torchao-semisparse"}) {
    const Scheme scheme = on_convolutions(name);
    WeightPruner pruner(scheme, layer_, timeline_of(scheme), 1);
    pruner.prepare(before_, 0);
    EXPECT_EQ(pruner.for_dgrad().values, pruner.for_forward().values) << name;
    const Pattern pattern = scheme.rule(Phase::forward).sparsity->pattern;
    EXPECT_EQ(weight_violations(pruner.for_forward(), 0, pattern), 0) << name;
    EXPECT_EQ(weight_violations(pruner.for_forward(), 3, pattern), 0) << name;
  }
}

TEST_F(WeightPruning, MasksStayForTheirPeriod) {
  Scheme scheme = on_convolutions("transposable");
  // 40 of 400 steps are 10 of 100.
  WeightPruner pruner(scheme, layer_, Timeline(scheme, 100, Schedule{}, 400), 1);
  pruner.prepare(before_, 0);
  const std::vector<bool> first = zeros_of(pruner.for_forward());
  pruner.prepare(after_, 9);
  EXPECT_EQ(zeros_of(pruner.for_forward()), first);
  pruner.refresh(after_, 10);  // only training chooses anew
  EXPECT_EQ(zeros_of(pruner.for_forward()), first);
  pruner.prepare(after_, 10);
  EXPECT_NE(zeros_of(pruner.for_forward()), first);
}

TEST_F(WeightPruning, OfAspIsChosenOnceAfterTheDenseHalf) {
  const Scheme scheme = on_convolutions("asp");
  WeightPruner pruner(scheme, layer_, timeline_of(scheme), 1);
  pruner.prepare(before_, 49);
  EXPECT_EQ(pruner.for_forward().values, before_.values);
  EXPECT_TRUE(pruner.mask().empty());
  pruner.prepare(before_, 50);
  const std::vector<bool> chosen = zeros_of(pruner.for_forward());
  EXPECT_EQ(weight_violations(pruner.for_forward(), 3, {2, 4}), 0);
  pruner.prepare(after_, 99);
  EXPECT_EQ(zeros_of(pruner.for_forward()), chosen);
}

TEST_F(WeightPruning, OfBiMaskHasItsPatternsInItsOrderOfRows) {
  const Scheme scheme = on_convolutions("bi-mask");
  WeightPruner pruner(scheme, layer_, timeline_of(scheme), 1);
  for (const std::int64_t step : {0, 1, 5}) {
    pruner.prepare(step == 1 ? after_ : before_, step);
    EXPECT_EQ(weight_violations(pruner.for_forward(), 3, {2, 4}), 0);
    const std::vector<std::int64_t>& order = pruner.row_order();
    ASSERT_EQ(order.size(), 32U);
    pruning::Tensor ordered{pruner.for_dgrad().shape, {}};
    const std::ptrdiff_t row = 9 * 16;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto begin = pruner.for_dgrad().values.begin() + order[i] * row;
      ordered.values.insert(ordered.values.end(), begin, begin + row);
    }
    EXPECT_EQ(weight_violations(ordered, 0, {2, 4}), 0) << "step " << step;
    for (std::size_t i = 0; i < ordered.values.size(); ++i) {
      if (pruner.for_dgrad().values[i] == 0) continue;
      EXPECT_EQ(pruner.for_dgrad().values[i], pruner.for_forward().values[i]);
    }
  }
}

TEST_F(WeightPruning, OfSSteFreezesTheScaleOfTheFirstWeights) {
  const Scheme scheme = on_convolutions("s-ste-fp16");
  WeightPruner pruner(scheme, layer_, timeline_of(scheme), 1);
  const auto softened = [](const pruning::Tensor& weights, float scale) {
    const pruning::Matrix rows = pruning::to_planes(weights, {3, {}}).front();
    pruning::Matrix out(rows.rows, rows.columns);
    pruning::soft_threshold(rows, {2, 4}, scale, 1, out);
    return pruning::from_planes({out}, weights.shape, {3, {}}).values;
  };
  const float scale =
      pruning::soft_threshold_scale(pruning::to_planes(before_, {3, {}}).front(), {2, 4}, 1);
  pruner.prepare(before_, 0);
  EXPECT_EQ(pruner.for_forward().values, softened(before_, scale));
  pruner.prepare(after_, 1);
  EXPECT_EQ(pruner.for_forward().values, softened(after_, scale));
  EXPECT_EQ(pruner.for_dgrad().values, pruner.for_forward().values);
  Scheme unscaled = scheme;
  unscaled.training.scale = 1;
  WeightPruner plain(unscaled, layer_, timeline_of(scheme), 1);
  plain.prepare(after_, 0);
  EXPECT_EQ(plain.for_forward().values, softened(after_, 1));
}

TEST_F(WeightPruning, LeavesLayersAloneThatTheSchemeDoesNotPrune) {
  const Scheme scheme = load_scheme("fst");  // linear layers of the FFN
  WeightPruner pruner(scheme, layer_, timeline_of(scheme), 1);
  EXPECT_FALSE(pruner.prunes());
  pruner.prepare(before_, 0);
  EXPECT_EQ(pruner.for_forward().values, before_.values);
}

TEST(Timelines, FollowTheShareAndThePlaceOfTheSchemesFile) {
  const auto first_and_end = [](const char* name) {
    const Scheme scheme = load_scheme(name);
    const Timeline timeline(scheme, 600, Schedule{}, 300'000);
    std::pair<std::int64_t, std::int64_t> range{-1, -1};
    for (std::int64_t step = 0; step < 600; ++step) {
      if (!timeline.is_sparse(step)) continue;
      if (range.first < 0) range.first = step;
      range.second = step + 1;
    }
    return range;
  };
  using Range = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(first_and_end("fst"), Range(0, 500));     // 5/6, then dense
  EXPECT_EQ(first_and_end("step"), Range(300, 600));  // half, then sparse
  EXPECT_EQ(first_and_end("asp"), Range(300, 600));   // trained, pruned, trained again
  EXPECT_EQ(first_and_end("sdgp"), Range(0, 600));
}

TEST(Timelines, CountPeriodsAsPartsOfTheRun) {
  const Timeline timeline(Scheme{}, 600, Schedule{}, 300'000);
  EXPECT_EQ(timeline.period(0), 0);
  EXPECT_EQ(timeline.period(1), 1);
  EXPECT_EQ(timeline.period(40), 1);
  EXPECT_EQ(timeline.period(5000), 10);
}

TEST(Timelines, RaiseAndLowerTheLearningRate) {
  const Schedule peak{ScheduleKind::peak, 0.2};
  EXPECT_DOUBLE_EQ(peak.factor(0), 0);
  EXPECT_DOUBLE_EQ(peak.factor(0.1), 0.5);
  EXPECT_DOUBLE_EQ(peak.factor(0.2), 1);
  EXPECT_DOUBLE_EQ(peak.factor(0.6), 0.5);
  EXPECT_DOUBLE_EQ(peak.factor(1), 0);
  const Schedule cosine{ScheduleKind::cosine, 0};
  EXPECT_DOUBLE_EQ(cosine.factor(0), 1);
  EXPECT_DOUBLE_EQ(cosine.factor(0.5), 0.5);
  EXPECT_NEAR(cosine.factor(1), 0, 1e-15);
  // A training that is repeated goes through its schedule twice.
  const Timeline twice(load_scheme("asp"), 200, peak, 300'000);
  for (std::int64_t step = 0; step < 100; ++step) {
    EXPECT_DOUBLE_EQ(twice.rate_factor(step), twice.rate_factor(step + 100));
  }
}

}  // namespace
}  // namespace stcsim::training
