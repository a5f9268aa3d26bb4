// What methods make of tensors, as publications give it, against sorting and brute force.
#include "reports/papers/mask_row.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pruning/random_stream.hpp"
#include "tests/unit/reports/papers/mask_rows.hpp"

namespace stcsim {
namespace {

using test::mask_answer;
using test::mask_error;
using test::mask_row;
using ::testing::HasSubstr;

/// Normal numbers as rows draw them.
std::vector<float> normal_of(std::int64_t size, std::uint64_t seed) {
  return pruning::generated_input(fmt::format("normal:{0}x{0}", size), seed).values;
}

double sum_of_magnitudes(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, float value) { return sum + std::abs(double{value}); });
}

/// Sum of the `kept` largest magnitudes.
double largest(std::vector<float> values, std::size_t kept) {
  std::ranges::sort(values, std::greater<>(), [](float value) { return std::abs(value); });
  values.resize(kept);
  return sum_of_magnitudes(values);
}

TEST(MaskRow, MagnitudeKeepsTheLargestOfGroupsOrOfAll) {
  const std::vector<float> values = normal_of(16, 3);
  double kept = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += 4) {
    kept += largest({values.begin() + static_cast<std::ptrdiff_t>(begin),
                     values.begin() + static_cast<std::ptrdiff_t>(begin) + 4},
                    2);
  }
  const std::string keys = ", pattern: '2:4', size: 16, seed: 3, seeds: 1";
  const PaperAnswer groups = mask_answer("quantity: retained, method: magnitude" + keys);
  EXPECT_NEAR(groups.value, 100 * kept / sum_of_magnitudes(values), 1e-9);
  EXPECT_EQ(groups.low, groups.value);
  EXPECT_EQ(groups.high, groups.value);
  EXPECT_EQ(groups.where, "normal 16x16, 1 seed");
  EXPECT_NEAR(mask_answer("quantity: retained, method: unstructured" + keys).value,
              100 * largest(values, 128) / sum_of_magnitudes(values), 1e-9);
  EXPECT_NEAR(
      mask_answer(
          "quantity: retained, method: unstructured, pattern: '1:4', size: 16, seed: 3, seeds: 1")
          .value,
      100 * largest(values, 64) / sum_of_magnitudes(values), 1e-9);
}

/// Sum of what the best of `masks` keeps of every 4x4 block of a matrix of so many columns.
double best_of_blocks(const std::vector<float>& values, std::size_t columns,
                      const std::vector<std::uint32_t>& masks) {
  double sum = 0;
  for (std::size_t row = 0; row < columns; row += 4) {
    for (std::size_t column = 0; column < columns; column += 4) {
      double most = 0;
      for (const std::uint32_t mask : masks) {
        double kept = 0;
        for (std::size_t i = 0; i < 16; ++i) {
          if ((mask >> i & 1U) == 0) continue;
          kept += std::abs(double{values[(row + i / 4) * columns + column + i % 4]});
        }
        most = std::max(most, kept);
      }
      sum += most;
    }
  }
  return sum;
}

TEST(MaskRow, TransposableMasksKeepWhatTheBestOfAllKeeps) {
  const auto exactly =
      masks_with(4, [](std::uint32_t mask) { return is_transposable(mask, 2, 4); });
  ASSERT_EQ(exactly.size(), 90U);
  const auto at_most = masks_with(4, [](std::uint32_t mask) {
    for (int i = 0; i < 4; ++i) {
      if (ones_in_row(mask, 4, i) > 2 || ones_in_column(mask, 4, i) > 2) return false;
    }
    return std::popcount(mask) >= 6;  // fewer could take one more
  });
  const std::vector<float> values = normal_of(32, 1);
  const double all = sum_of_magnitudes(values);
  const double optimum = best_of_blocks(values, 32, at_most);
  const double of_exactly = best_of_blocks(values, 32, exactly);
  EXPECT_GT(optimum, 1.0001 * of_exactly);  // fewer than two in a row can keep more elsewhere
  const auto share = [](const std::string& quantity, const std::string& method) {
    return mask_answer(fmt::format("quantity: {}, method: {}, pattern: '2:4', size: 32, seeds: 1",
                                   quantity, method))
        .value;
  };
  EXPECT_NEAR(share("retained", "transposable"), 100 * optimum / all, 1e-5);
  EXPECT_NEAR(share("of_optimum", "transposable"), 100, 1e-9);
  for (const char* const method : {"transposable-exactly", "transposable-exhaustive"}) {
    EXPECT_NEAR(share("retained", method), 100 * of_exactly / all, 1e-5);
    EXPECT_NEAR(share("of_optimum", method), 100 * of_exactly / optimum, 1e-5);
  }
  EXPECT_LT(share("retained", "transposable-greedy"), 100 * optimum / all);
}

TEST(MaskRow, MethodsThatPruneTwiceKeepLessForDgrad) {
  const std::string keys = ", pattern: '2:4', size: 64, seeds: 2";
  const double magnitude = mask_answer("quantity: retained, method: magnitude" + keys).value;
  for (const char* const method : {"slope", "bi-mask"}) {
    const std::string text = fmt::format("quantity: retained, method: {}{}", method, keys);
    EXPECT_DOUBLE_EQ(mask_answer(text).value, magnitude);
    EXPECT_DOUBLE_EQ(mask_answer(text + ", phase: forward").value, magnitude);
    EXPECT_LT(mask_answer(text + ", phase: dgrad").value, magnitude - 1);
  }
  EXPECT_THAT(mask_error("quantity: retained, method: magnitude, phase: dgrad" + keys),
              HasSubstr("'magnitude' has no pruning of its own for dgrad"));
}

TEST(MaskRow, SharesAreTheMeanOfTheSeeds) {
  const std::string keys = "quantity: retained, method: magnitude, pattern: '2:4', size: 16";
  double sum = 0;
  for (int seed = 4; seed < 7; ++seed) {
    sum += mask_answer(fmt::format("{}, seeds: 1, seed: {}", keys, seed)).value;
  }
  const PaperAnswer answer = mask_answer(keys + ", seeds: 3, seed: 4");
  EXPECT_NEAR(answer.value, sum / 3, 1e-9);
  EXPECT_LT(answer.low, answer.value);
  EXPECT_GT(answer.high, answer.value);
  EXPECT_EQ(answer.where, "normal 16x16, 3 seeds");
  EXPECT_EQ(mask_row("quantity: retained, method: magnitude, pattern: '2:4'").seeds, 5);
  EXPECT_EQ(mask_row("quantity: retained, method: magnitude, pattern: '2:4'").size, 256);
}

TEST(MaskRow, GreedyMethodsApproachTwiceTheOptimumWhereTheyAreMisled) {
  const auto tight = [](const std::string& method, const std::string& pattern) {
    return mask_answer(fmt::format("quantity: guarantee, method: {}, pattern: '{}', on: tight",
                                   method, pattern))
        .value;
  };
  // Hubara et al., Fig. A.1: one zero per row and column of 4x4, seven are pruned instead of four.
  EXPECT_NEAR(tight("transposable-greedy-published", "3:4"), 7.0 / 4, 1e-5);
  EXPECT_NEAR(tight("transposable-greedy-published", "2:4"), 3.0 / 2, 1e-5);
  EXPECT_NEAR(tight("transposable-greedy-published", "15:16"), 31.0 / 16, 1e-5);
  EXPECT_NEAR(tight("transposable-greedy", "2:4"), 2, 1e-5);
  EXPECT_LT(tight("transposable-greedy", "2:4"), 2);
  EXPECT_NEAR(tight("transposable-greedy", "1:8"), 2, 1e-5);
  EXPECT_NEAR(tight("transposable-greedy", "3:4"), 4.0 / 3, 1e-5);
}

TEST(MaskRow, GreedyMethodsAreComparedWithTheOptimumBlockByBlock) {
  const auto masks = masks_with(2, [](std::uint32_t mask) { return is_transposable(mask, 1, 2); });
  ASSERT_EQ(masks.size(), 2U);
  // Of 2x2 one in each row and column: the diagonals. Greedy takes that of the largest.
  const std::vector<float> values = pruning::generated_input("normal:64x4", 9).values;
  double worst = 0;
  double mean = 0;
  for (std::size_t block = 0; block < 64; ++block) {
    const auto at = [&](std::size_t i) { return std::abs(double{values[4 * block + i]}); };
    const double one = at(0) + at(3);
    const double other = at(1) + at(2);
    const bool has_one = std::max(at(0), at(3)) > std::max(at(1), at(2));
    const double factor = std::max(one, other) / (has_one ? one : other);
    worst = std::max(worst, factor);
    mean += factor / 64;
  }
  const std::string keys =
      "quantity: guarantee, method: transposable-greedy, pattern: '1:2', size: 16, seed: 9";
  const PaperAnswer answer = mask_answer(keys);
  EXPECT_NEAR(answer.value, worst, 1e-9);
  EXPECT_GT(worst, 1);
  EXPECT_EQ(answer.where, "64 normal blocks");
  EXPECT_EQ(answer.because, fmt::format("the worst block; {:.3f} in the mean", mean));
  const double pruned =
      mask_answer(
          "quantity: guarantee, method: transposable-greedy-published, pattern: '2:4', size: 64")
          .value;
  EXPECT_GT(pruned, 1);
  EXPECT_LT(pruned, 2);
}

TEST(MaskRow, AdaPruneBringsTheOutputCloser) {
  const auto error = [](const std::string& keys) {
    return mask_answer("quantity: adaprune, size: 32, pattern: '2:4', " + keys).value;
  };
  for (const std::string method : {"magnitude", "transposable"}) {
    const double masked = error("stage: masked, method: " + method);
    const double trained = error("method: " + method);
    EXPECT_GT(masked, 0);
    EXPECT_LT(trained, masked);
    EXPECT_EQ(error("stage: trained, method: " + method), trained);
    EXPECT_NE(error("stage: absorbed, method: " + method), masked);
    EXPECT_LT(trained, error("stage: absorbed, method: " + method));
    // Fewer weights are there to be lost.
    EXPECT_LT(error("stage: masked, zeros: 0.5, method: " + method), masked);
  }
  EXPECT_LT(error("stage: masked, method: magnitude"),
            error("stage: masked, method: transposable"));
}

std::vector<float> normal_matrix(std::int64_t rows, std::int64_t columns,
                                 pruning::Purpose purpose) {
  return pruning::generated_input(fmt::format("normal:{}x{}", rows, columns), 2, purpose).values;
}

// The mask alone, by definition, in fp64.
TEST(MaskRow, OutputsOfAMaskedLayerAreComparedOnOtherInputs) {
  constexpr std::size_t kSize = 8;
  const auto weights = normal_matrix(kSize, kSize, pruning::Purpose::input);
  const auto features = normal_matrix(kSize, 2, pruning::Purpose::permutation);
  const auto hidden = normal_matrix(500, 2, pruning::Purpose::batches);
  double error = 0;
  double energy = 0;
  for (std::size_t sample = 0; sample < 500; ++sample) {
    for (std::size_t output = 0; output < kSize; ++output) {
      double sum = 0;
      double lost = 0;
      for (std::size_t input = 0; input < kSize; ++input) {
        const double x =
            std::max(0.0, double{features[2 * input]} * hidden[2 * sample] +
                              double{features[2 * input + 1]} * hidden[2 * sample + 1]);
        const std::size_t at = output * kSize + input;
        sum += weights[at] * x;
        // Of 1:2, the smaller of two neighbours is zeroed.
        if (std::abs(weights[at]) < std::abs(weights[at ^ 1U])) lost += weights[at] * x;
      }
      error += lost * lost;
      energy += sum * sum;
    }
  }
  const double percent = 100 * error / energy;
  EXPECT_NEAR(
      mask_answer("quantity: adaprune, method: magnitude, pattern: '1:2', size: 8, seed: 2, "
                  "stage: masked")
          .value,
      percent, 1e-4 * percent);
}

TEST(MaskRow, AdaPruneChangesNothingThatFitsAlready) {
  for (const char* const stage : {"masked", "absorbed", "trained"}) {
    EXPECT_EQ(mask_answer(fmt::format("quantity: adaprune, method: magnitude, pattern: '2:4', "
                                      "size: 8, zeros: 0.98, stage: {}",
                                      stage))
                  .value,
              0);
  }
}

TEST(MaskRow, UnitsAndNamesAreOfTheQuantity) {
  const auto unit = [](const std::string& keys) { return quantity_of(mask_row(keys)).unit; };
  const std::string some = ", method: transposable-greedy, pattern: '2:4'";
  EXPECT_EQ(unit("quantity: diversity, method: groups, pattern: '2:4'"), PaperUnit::count);
  EXPECT_EQ(unit("quantity: diversity_log10, method: groups, pattern: '2:4'"), PaperUnit::value);
  EXPECT_EQ(unit("quantity: diversity_published, pattern: '2:4'"), PaperUnit::count);
  EXPECT_EQ(unit("quantity: diversity_published_log10, pattern: '2:4'"), PaperUnit::value);
  EXPECT_EQ(unit("quantity: retained" + some), PaperUnit::percent);
  EXPECT_EQ(unit("quantity: of_optimum" + some), PaperUnit::percent);
  EXPECT_EQ(unit("quantity: adaprune" + some), PaperUnit::percent);
  EXPECT_EQ(unit("quantity: guarantee" + some), PaperUnit::ratio);
  EXPECT_EQ(unit("quantity: work" + some), PaperUnit::count);
  std::vector<std::string> names;
  for (const char* const quantity : {"retained", "of_optimum", "adaprune", "guarantee", "work"}) {
    names.push_back(quantity_of(mask_row(std::string("quantity: ") + quantity + some)).title);
  }
  EXPECT_EQ(quantity_of(mask_row("quantity: diversity, method: groups, pattern: '2:4'")).title,
            "masks");
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(MaskRow, SaysWhatIsWrong) {
  EXPECT_THAT(mask_error("quantity: retain, method: magnitude, pattern: '2:4'"),
              HasSubstr("retained"));
  EXPECT_THAT(
      mask_error("quantity: retained, method: magnitud, pattern: '2:4'"),
      AllOf(HasSubstr("f.yaml:1:"),
            HasSubstr("'method' is 'magnitud', must be one of unstructured, random, magnitude")));
  EXPECT_THAT(mask_error("quantity: retained, method: mvue, pattern: '2:4'"),
              HasSubstr("'method' is 'mvue'"));
  EXPECT_THAT(mask_error("quantity: retained, method: transposable-exhaustive, pattern: '4:8'"),
              HasSubstr("'transposable-exhaustive' is for 2:4 only, the pattern is 4:8"));
  EXPECT_THAT(mask_error("quantity: retained, method: transposable, pattern: '4:8 pairs'"),
              HasSubstr("single elements"));
  EXPECT_THAT(mask_error("quantity: retained, method: random, pattern: '64:2:10'"),
              HasSubstr("in each row for itself"));
  EXPECT_THAT(mask_error("quantity: retained, method: magnitude, pattern: dense"),
              HasSubstr("must be n:m with n < m"));
  EXPECT_THAT(mask_error("quantity: retained, method: magnitude, pattern: '4:8x2:4'"),
              HasSubstr("must be n:m with n < m"));
  EXPECT_THAT(mask_error("quantity: retained, method: magnitude, pattern: '4:8', size: 7"),
              HasSubstr("'size' is 7, must be at least one group of 8"));
  EXPECT_THAT(mask_error("quantity: of_optimum, method: magnitude, pattern: '4:8 pairs'"),
              HasSubstr("is known of n:m"));
  EXPECT_THAT(mask_error("quantity: diversity, method: groups, pattern: '4:8', size: 12"),
              HasSubstr("'size' is 12, must be a multiple of 8"));
  EXPECT_THAT(mask_error("quantity: diversity, method: groups, pattern: '64:2:10'"),
              HasSubstr("masks are counted of n:m"));
  EXPECT_THAT(mask_error("quantity: diversity, method: transposable, pattern: '8:16'"),
              HasSubstr("with m up to 12"));
  EXPECT_THAT(mask_error("quantity: diversity, method: transposable, pattern: '4:8 pairs'"),
              HasSubstr("the pattern is 4:8 pairs"));
  EXPECT_THAT(mask_error("quantity: guarantee, method: transposable, pattern: '2:4'"),
              HasSubstr("must be one of transposable-greedy, transposable-greedy-published"));
  EXPECT_THAT(mask_error("quantity: guarantee, method: transposable-greedy, pattern: '4:8 pairs'"),
              HasSubstr("greedy masks are of n:m"));
  EXPECT_THAT(
      mask_error(
          "quantity: guarantee, method: transposable-greedy, pattern: '2:4', on: tight, size: 8"),
      HasSubstr("size"));
  EXPECT_THAT(mask_error("quantity: adaprune, method: magnitude, pattern: '4:8 pairs'"),
              HasSubstr("AdaPrune takes weights to n:m"));
  EXPECT_THAT(mask_error("quantity: adaprune, method: magnitude, pattern: '2:4', zeros: 1"),
              HasSubstr("zeros"));
  EXPECT_THAT(mask_error("quantity: work, method: transposable, pattern: '2:4', size: 8"),
              HasSubstr("size"));
  EXPECT_THAT(mask_error("quantity: retained, pattern: '2:4'"), HasSubstr("method"));
  EXPECT_NE(mask_error("method: magnitude, pattern: '2:4'"), "no error");
  EXPECT_EQ(mask_error("quantity: diversity, method: transposable, pattern: '6:12'"), "no error");
}

}  // namespace
}  // namespace stcsim
