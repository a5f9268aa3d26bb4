#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pruning/prune_summary.hpp"
#include "pruning/random_stream.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

TEST(QualityTest, ComparesWithTheOriginal) {
  const Quality quality = compare({{4}, {3, 4, 0, -5}}, {{4}, {0, 4, 0, -5}});
  EXPECT_EQ(quality.elements, 4);
  EXPECT_EQ(quality.nonzeros, 2);
  EXPECT_DOUBLE_EQ(quality.kept(), 0.5);
  EXPECT_DOUBLE_EQ(*quality.l1_retained, 9. / 12);
  EXPECT_DOUBLE_EQ(*quality.l2_retained, std::sqrt(41. / 50));
  EXPECT_DOUBLE_EQ(quality.mean_square_error, 9. / 4);
  EXPECT_DOUBLE_EQ(*quality.cosine, 41 / std::sqrt(41. * 50));
}

TEST(QualityTest, HasNoRatiosToNothing) {
  const Quality quality = compare({{2}, {0, 0}}, {{2}, {0, 0}});
  EXPECT_FALSE(quality.l1_retained);
  EXPECT_FALSE(quality.l2_retained);
  EXPECT_FALSE(quality.cosine);
}

TEST(DrawStatisticsTest, GivesBiasAndVarianceByHand) {
  const Tensor original{{2}, {1, 2}};
  DrawStatistics statistics(original);
  statistics.add({{2}, {0, 2}});
  statistics.add({{2}, {4, 2}});
  const EstimatorQuality quality = statistics.quality();
  EXPECT_EQ(quality.draws, 2);
  EXPECT_DOUBLE_EQ(quality.bias_rms, std::sqrt(1. / 2));  // means 2 and 2
  EXPECT_DOUBLE_EQ(*quality.relative_variance, 8. / 5);   // (4 + 4) / 1
  EXPECT_DOUBLE_EQ(quality.unbiased_rms, std::sqrt(8. / 2 / 2));
}

PruneSummary summary_of(const Tensor& tensor, std::string_view scheme, const PruneOptions& options,
                        const SummaryOptions& what = {}) {
  return summarise(tensor, prune(tensor, scheme, options), scheme, options, what);
}

PruneOptions along_last() {
  PruneOptions options;
  options.axis = 1;
  return options;
}

TEST(SummariseTest, EstimatorsHaveTheVarianceOfTheirFormulaAndNoBias) {
  SCOPED_TRACE(test::seed_text());
  const Tensor tensor = generated_input("normal:64x256", test::base_seed());
  for (const char* const scheme : {"mvue", "mvue-pairs", "mvue-approximate"}) {
    const PruneSummary summary = summary_of(tensor, scheme, along_last(), {64, true});
    ASSERT_TRUE(summary.estimator && summary.closed_form_variance) << scheme;
    EXPECT_EQ(summary.estimator->draws, 64);
    EXPECT_NEAR(*summary.estimator->relative_variance, *summary.closed_form_variance,
                0.02 * *summary.closed_form_variance);
    EXPECT_NEAR(summary.estimator->bias_rms, summary.estimator->unbiased_rms,
                0.05 * summary.estimator->unbiased_rms);
  }
  // Half of the elements at random: the bias is x/2.
  const PruneSummary random = summary_of(tensor, "random", along_last(), {64, true});
  EXPECT_NEAR(random.estimator->bias_rms, 0.5, 0.02);
  EXPECT_FALSE(random.closed_form_variance);
}

TEST(SummariseTest, TransposableMasksAreComparedWithTheOptimum) {
  const Tensor tensor = generated_input("normal:32x32", 1);
  EXPECT_EQ(summary_of(tensor, "transposable", along_last()).optimum_ratio, 1.0);
  const double exactly = *summary_of(tensor, "transposable-exactly", along_last()).optimum_ratio;
  EXPECT_LT(exactly, 1);
  EXPECT_GT(exactly, 0.99);
  EXPECT_NEAR(*summary_of(tensor, "transposable-exhaustive", along_last()).optimum_ratio, exactly,
              1e-6);
  const double greedy = *summary_of(tensor, "transposable-greedy", along_last()).optimum_ratio;
  EXPECT_LT(greedy, 1);
  EXPECT_GT(greedy, 0.9);
  EXPECT_FALSE(summary_of(tensor, "transposable-greedy", along_last(), {16, false}).optimum_ratio);
  EXPECT_FALSE(summary_of(tensor, "magnitude", along_last()).optimum_ratio);
}

// What both keep beside the largest, 43, is a part in 10^11 of it.
TEST(SummariseTest, TheOptimumKeepsWhatIsTinyBesideTheLargest) {
  const Tensor tensor{{4, 4}, {4.4e12F, 1, 2, 3, 4, 8, 7, 1, 3, 1, 9, 6, 5, 2, 1, 7}};
  EXPECT_EQ(summary_of(tensor, "transposable-exactly", along_last()).optimum_ratio, 1.0);
  EXPECT_EQ(summary_of(tensor, "transposable", along_last()).quality.nonzeros, 8);
}

TEST(SummariseTest, CountsGroupsAndMasks) {
  const PruneSummary summary =
      summary_of(generated_input("normal:8x8", 1), "transposable", along_last());
  ASSERT_EQ(summary.axes.size(), 2U);
  EXPECT_EQ(summary.axes[0].axis, 1U);
  EXPECT_EQ(summary.axes[0].groups, 16);
  EXPECT_EQ(summary.axes[1].axis, 0U);
  EXPECT_EQ(summary.axes[1].groups, 16);
  EXPECT_NEAR(summary.diversity.pattern, std::log10(2.821109907456e12), 1e-9);
  EXPECT_NEAR(summary.diversity.sequential, std::log10(4.3046721e7), 1e-9);
  EXPECT_NEAR(summary.diversity.unstructured, std::log10(1.832624140942590534e18), 1e-9);
  EXPECT_NEAR(*summary.diversity.transposable, std::log10(6.561e7), 1e-9);
  EXPECT_NEAR(*summary.diversity.transposable_published, std::log10(4.29981696e8), 1e-9);
}

TEST(SummariseTest, SaysHowManyGroupsFittedBefore) {
  const Tensor tensor{{2, 4}, {1, 0, 0, 2, 1, 2, 3, 0}};
  const PruneSummary summary = summary_of(tensor, "magnitude", along_last());
  EXPECT_DOUBLE_EQ(summary.fit.zeros, 3. / 8);
  EXPECT_DOUBLE_EQ(summary.fit.fitting, 1. / 2);
  // sum over i = 2..4 of C(4,i) (3/8)^i (5/8)^(4-i)
  EXPECT_DOUBLE_EQ(summary.fit.probability, (6. * 9 * 25 + 4 * 27 * 5 + 81) / 4096);
  // P(at least one zero of four) is 1 - (5/8)^4 = 0.85.
  EXPECT_EQ(summary.fit.likely_zeros, 0);
}

TEST(SummariseTest, DoublePruningSaysWhatDgradHas) {
  const PruneSummary summary =
      summary_of(generated_input("normal:256x256", 1), "slope", along_last());
  ASSERT_TRUE(summary.backward);
  EXPECT_DOUBLE_EQ(summary.backward->kept, 0.5 - summary.backward->extra_zeros);
  EXPECT_DOUBLE_EQ(summary.backward->expected_extra, 0.09375);
}

TEST(SummariseTest, AdaPruneSaysWhatItGained) {
  PruneOptions options = along_last();
  options.samples = generated_input("normal:60x16", 2);
  const PruneSummary summary = summary_of(generated_input("normal:8x16", 1), "adaprune", options);
  ASSERT_TRUE(summary.calibration);
  EXPECT_LT(summary.calibration->trained, summary.calibration->masked);
  EXPECT_LT(summary.calibration->trained, summary.calibration->absorbed);
}

}  // namespace
}  // namespace stcsim::pruning
