#include "pruning/mask_counts.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stcsim::pruning {
namespace {

TEST(MaskDiversity, CountsUnstructuredMasks) {
  EXPECT_EQ(unstructured_masks(16, 8).exact, "12870");
  EXPECT_EQ(unstructured_masks(64, 32).exact, "1832624140942590534");
  EXPECT_NEAR(unstructured_masks(64, 32).log10, std::log10(1.832624140942590534e18), 1e-12);
  EXPECT_NEAR(unstructured_diversity(64, 32), std::log10(1.832624140942590534e18), 1e-12);
}

TEST(MaskDiversity, CountsMasksOfGroups) {
  EXPECT_EQ(group_masks({2, 4}).exact, "6");
  EXPECT_EQ(group_masks({4, 8}).exact, "70");
  EXPECT_EQ(group_masks({4, 8, 2}).exact, "6");
  EXPECT_NEAR(tensor_diversity(group_masks({2, 4}), 4, 64), std::log10(2.821109907456e12), 1e-12);
  EXPECT_NEAR(tensor_diversity(group_masks({4, 8}), 8, 64), std::log10(5.764801e14), 1e-12);
  EXPECT_EQ(sequential_masks({2, 4}).exact, "3");
  EXPECT_EQ(sequential_masks({4, 8}).exact, "5");
  EXPECT_EQ(sequential_masks({4, 8, 2}).exact, "3");
}

// 90, 297200 and 116963796250: On-Line Encyclopedia of Integer Sequences, A058527.
TEST(MaskDiversity, CountsTransposableMasks) {
  EXPECT_EQ(transposable_masks({1, 2})->exact, "2");
  EXPECT_EQ(transposable_masks({2, 4})->exact, "90");
  EXPECT_EQ(transposable_masks({3, 6})->exact, "297200");
  EXPECT_EQ(transposable_masks({4, 8})->exact, "116963796250");
  EXPECT_EQ(transposable_masks({2, 8})->exact, "187530840");
  EXPECT_EQ(transposable_masks({1, 4})->exact, "24");
  EXPECT_EQ(transposable_masks({5, 10})->exact, "6736218287430460752");
  EXPECT_FALSE(transposable_masks({8, 16}));
}

TEST(MaskDiversity, ThePublishedFormulaCountsTooMany) {
  EXPECT_EQ(published_transposable_masks({2, 4}).exact, "144");
  EXPECT_EQ(published_transposable_masks({4, 8}).exact, "17557585920000");
  EXPECT_NEAR(published_transposable_masks({4, 8}).log10, std::log10(1.755758592e13), 1e-12);
}

TEST(FitProbability, IsThePublishedSum) {
  const auto at_half = [](std::int64_t m) { return fit_probability({m / 2, m}, 0.5); };
  EXPECT_DOUBLE_EQ(at_half(2), 0.75);
  EXPECT_DOUBLE_EQ(at_half(4), 0.6875);
  // 2:4 of pairs, of which each is zero with probability 1/4.
  EXPECT_DOUBLE_EQ(fit_probability({4, 8, 2}, 0.5), fit_probability({2, 4}, 0.25));
  EXPECT_NEAR(at_half(8), 0.6367, 5e-5);
  EXPECT_NEAR(at_half(16), 0.598, 5e-4);
  EXPECT_NEAR(at_half(32), 0.570, 5e-4);
  EXPECT_NEAR(at_half(64), 0.550, 5e-4);
  constexpr double kZeros[] = {0.6, 0.7, 0.8, 0.9};
  constexpr double kTwoOfFour[] = {0.821, 0.916, 0.973, 0.996};
  constexpr double kFourOfEight[] = {0.826, 0.942, 0.990, 0.9996};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit_probability({2, 4}, kZeros[i]), kTwoOfFour[i], 5e-4);
    EXPECT_NEAR(fit_probability({4, 8}, kZeros[i]), kFourOfEight[i], 5e-4);
  }
  EXPECT_DOUBLE_EQ(fit_probability({2, 4}, 0), 0);
  EXPECT_DOUBLE_EQ(fit_probability({2, 4}, 1), 1);
}

TEST(FitProbability, MostLikelyZerosAreTheMostThatAreConfident) {
  // P(at least 2 of 4 zero) is 0.973 at 0.8, P(at least 3) is 0.819.
  EXPECT_EQ(most_likely_zeros(4, 0.8, 0.95), 2);
  EXPECT_EQ(most_likely_zeros(4, 0.8, 0.80), 3);
  EXPECT_EQ(most_likely_zeros(4, 0.0, 0.95), 0);
  EXPECT_EQ(most_likely_zeros(4, 1.0, 0.95), 4);
}

TEST(FitProbability, BinomialProbabilitiesAddUpToOne) {
  for (const std::int64_t count : {1, 4, 32, 128}) {
    for (const double p : {0.0, 0.1, 0.5, 1.0}) {
      double sum = 0;
      for (std::int64_t hits = 0; hits <= count; ++hits) {
        sum += binomial_probability(count, hits, p);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

}  // namespace
}  // namespace stcsim::pruning
