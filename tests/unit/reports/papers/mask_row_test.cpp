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
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/reports/papers/paper_rows.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

MaskRow mask_row(const std::string& keys) {
  return test::row_in("{" + keys + "}", read_mask_row);
}

PaperAnswer mask_answer(const std::string& keys) {
  return answer_of(mask_row(keys));
}

std::string mask_error(const std::string& keys) {
  return error_in("{" + keys + "}", [](MapReader& map) { (void)read_mask_row(map); });
}

/// Every mask of an m x m block as bits, row after row.
std::vector<std::uint32_t> masks_with(int m, const std::function<bool(std::uint32_t)>& is_right) {
  std::vector<std::uint32_t> masks;
  for (std::uint32_t mask = 0; mask < 1U << (m * m); ++mask) {
    if (is_right(mask)) masks.push_back(mask);
  }
  return masks;
}

int ones_in_row(std::uint32_t mask, int m, int row) {
  return std::popcount((mask >> (row * m)) & ((1U << m) - 1));
}

int ones_in_column(std::uint32_t mask, int m, int column) {
  int ones = 0;
  for (int row = 0; row < m; ++row) ones += static_cast<int>(mask >> (row * m + column) & 1U);
  return ones;
}

bool is_transposable(std::uint32_t mask, int n, int m) {
  for (int i = 0; i < m; ++i) {
    if (ones_in_row(mask, m, i) != n || ones_in_column(mask, m, i) != n) return false;
  }
  return true;
}

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

TEST(MaskRow, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> errors{
      {"quantity: retain, method: magnitude, pattern: '2:4'", "retained"},
      {"quantity: retained, method: magnitud, pattern: '2:4'",
       "'method' is 'magnitud', must be one of unstructured, random, magnitude"},
      {"quantity: retained, method: mvue, pattern: '2:4'",
       "f.yaml:1:30: error: 'method' is 'mvue'"},
      {"quantity: retained, method: transposable-exhaustive, pattern: '4:8'",
       "'transposable-exhaustive' is for 2:4 only, the pattern is 4:8"},
      {"quantity: retained, method: transposable, pattern: '4:8 pairs'", "single elements"},
      {"quantity: retained, method: random, pattern: '64:2:10'", "in each row for itself"},
      {"quantity: retained, method: magnitude, pattern: dense", "must be n:m with n < m"},
      {"quantity: retained, method: magnitude, pattern: '4:8x2:4'", "must be n:m with n < m"},
      {"quantity: retained, method: magnitude, pattern: '4:8', size: 7",
       "'size' is 7, must be at least one group of 8"},
      {"quantity: of_optimum, method: magnitude, pattern: '4:8 pairs'", "is known of n:m"},
      {"quantity: retained, pattern: '2:4'", "'method' is missing"},
      {"method: magnitude, pattern: '2:4'", "'quantity' is missing"}};
  for (const auto& [keys, error] : errors) EXPECT_THAT(mask_error(keys), HasSubstr(error)) << keys;
}

}  // namespace
}  // namespace stcsim
