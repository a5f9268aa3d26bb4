// How many masks there are, and how many steps it takes to find one, against enumeration.
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reports/papers/mask_rows.hpp"

namespace stcsim {
namespace {

using test::mask_answer;
using test::mask_error;
using ::testing::HasSubstr;

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

TEST(MaskRow, CountsWhatEnumerationFinds) {
  for (const auto& [n, m] :
       std::vector<std::pair<int, int>>{{1, 2}, {1, 3}, {2, 3}, {1, 4}, {2, 4}, {3, 4}}) {
    const std::string pattern = fmt::format("pattern: '{}:{}'", n, m);
    const auto count = [&](const std::string& method,
                           const std::function<bool(std::uint32_t)>& is) {
      const PaperAnswer answer =
          mask_answer("quantity: diversity, method: " + method + ", " + pattern);
      const auto expected = masks_with(m, is).size();
      EXPECT_EQ(answer.value, static_cast<double>(expected)) << method << ' ' << pattern;
      EXPECT_EQ(answer.low, answer.value);
      EXPECT_EQ(answer.high, answer.value);
      EXPECT_EQ(answer.column, "computed");
      EXPECT_EQ(answer.where, fmt::format("{0}x{0}", m));
      EXPECT_EQ(answer.because, fmt::format("exactly {}", expected));
    };
    count("transposable",
          [&, n = n, m = m](std::uint32_t mask) { return is_transposable(mask, n, m); });
    count("unstructured",
          [n = n, m = m](std::uint32_t mask) { return std::popcount(mask) == n * m; });
    count("groups", [n = n, m = m](std::uint32_t mask) {
      for (int row = 0; row < m; ++row) {
        if (ones_in_row(mask, m, row) != n) return false;
      }
      return true;
    });
    count("sequential", [n = n, m = m](std::uint32_t mask) {
      for (int row = 0; row < m; ++row) {
        const std::uint32_t zeros = ~(mask >> (row * m)) & ((1U << m) - 1);
        const std::uint32_t lowest = zeros == 0 ? 0 : zeros >> std::countr_zero(zeros);
        if (std::popcount(zeros) != m - n || lowest != (1U << (m - n)) - 1) return false;
      }
      return true;
    });
  }
}

// 116963796250: On-Line Encyclopedia of Integer Sequences, A058527.
TEST(MaskRow, CountsLargerBlocks) {
  EXPECT_EQ(mask_answer("quantity: diversity, method: transposable, pattern: '4:8'").value,
            116'963'796'250);
  const auto in_eight = [](const std::string& keys) {
    return mask_answer(keys + ", size: 8").because;
  };
  EXPECT_EQ(in_eight("quantity: diversity, method: transposable, pattern: '2:4'"),
            "exactly 65610000");
  EXPECT_EQ(in_eight("quantity: diversity, method: groups, pattern: '2:4'"),
            "exactly 2821109907456");
  EXPECT_EQ(in_eight("quantity: diversity, method: groups, pattern: '4:8 pairs'"),
            "exactly 1679616");
  EXPECT_EQ(in_eight("quantity: diversity, method: unstructured, pattern: '2:4'"),
            "exactly 1832624140942590534");
}

TEST(MaskRow, CountsByThePublishedFormula) {
  EXPECT_EQ(mask_answer("quantity: diversity_published, pattern: '2:4'").value, 144);
  EXPECT_EQ(mask_answer("quantity: diversity_published, pattern: '2:4', size: 8").value,
            144.0 * 144 * 144 * 144);
  EXPECT_EQ(
      mask_answer("quantity: diversity_published, method: transposable, pattern: '4:8'").because,
      "exactly 17557585920000");
  EXPECT_DOUBLE_EQ(
      mask_answer("quantity: diversity_published_log10, pattern: '4:8', size: 16").value,
      4 * std::log10(17557585920000.0));
  EXPECT_NE(mask_error("quantity: diversity_published, method: groups, pattern: '2:4'"),
            "no error");
}

TEST(MaskRow, CountsLargeTensorsByTheirLogarithm) {
  const std::string groups = "method: groups, pattern: '2:4', size: ";
  EXPECT_NEAR(mask_answer("quantity: diversity_log10, " + groups + "4096").value,
              4096.0 * 1024 * std::log10(6.0), 1e-6);
  EXPECT_EQ(mask_answer("quantity: diversity_log10, " + groups + "4").because, "");
  EXPECT_NEAR(
      mask_answer("quantity: diversity_log10, method: unstructured, pattern: '2:4', size: 8").value,
      std::log10(1832624140942590534.0), 1e-9);
  // 6^384 has 299 digits, 6^400 has 312.
  EXPECT_NEAR(
      std::log10(
          mask_answer("quantity: diversity, method: groups, pattern: '2:4', size: 36").value),
      324 * std::log10(6.0), 1e-9);
  EXPECT_THAT(
      mask_error("quantity: diversity, " + groups + "40"),
      HasSubstr("there are 10^311 masks, more than a number can hold: ask for 'diversity_log10'"));
}

TEST(MaskRow, CountsTheStepsOfTextbookAlgorithms) {
  const auto work = [](const std::string& method, const std::string& pattern) {
    return mask_answer(fmt::format("quantity: work, method: {}, pattern: '{}'", method, pattern))
        .value;
  };
  EXPECT_EQ(work("transposable-exhaustive", "2:4"), 90);
  EXPECT_EQ(work("transposable-exhaustive", "4:8"), 116'963'796'250);
  EXPECT_EQ(work("transposable-greedy", "2:4"), 4);
  EXPECT_EQ(work("transposable-greedy", "16:32"), 10);
  EXPECT_EQ(work("transposable", "2:4"), 12);
  EXPECT_EQ(work("transposable", "1:8"), 10);
  EXPECT_THAT(mask_error("quantity: work, method: transposable-exhaustive, pattern: '8:16'"),
              HasSubstr("counted of n:m with m up to 12, the pattern is 8:16"));
}

}  // namespace
}  // namespace stcsim
