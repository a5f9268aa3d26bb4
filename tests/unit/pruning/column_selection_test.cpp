#include "pruning/column_selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "pruning/prune.hpp"
#include "tests/unit/pruning/pruning_support.hpp"

namespace stcsim::pruning {
namespace {

using test::base_seed;
using test::coarse_matrix;
using test::matrix_of;
using test::seed_text;

Matrix to_columns(const Matrix& in, Pattern pattern, int threads = 1) {
  Matrix out(in.rows, in.columns);
  prune_to_columns(in, pattern, threads, out);
  return out;
}

/// All ways to take up to `count` of the columns [begin, end), in lexicographic order.
std::vector<std::vector<std::int64_t>> choices(std::int64_t begin, std::int64_t end,
                                               std::int64_t count) {
  if (count == 0 || begin == end) return {{}};
  std::vector<std::vector<std::int64_t>> all;
  const std::int64_t taken = std::min(count, end - begin);
  for (std::int64_t first = begin; first <= end - taken; ++first) {
    for (std::vector<std::int64_t>& rest : choices(first + 1, end, taken - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

/// Magnitudes of the rows [first, last) in these columns. Whole numbers, so in whatever order.
float sum_of(const Matrix& in, std::int64_t first, std::int64_t last,
             const std::vector<std::int64_t>& columns) {
  float sum = 0;
  for (std::int64_t row = first; row < last; ++row) {
    for (const std::int64_t column : columns) sum += std::abs(in.at(row, column));
  }
  return sum;
}

/// The first of those with the largest sum.
std::vector<std::int64_t> best_of(const Matrix& in, std::int64_t first, std::int64_t last,
                                  const std::vector<std::vector<std::int64_t>>& all) {
  return *std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return sum_of(in, first, last, a) < sum_of(in, first, last, b);
  });
}

/// By trying every choice of four columns, and of two of these in every row.
Matrix by_trying_all(const Matrix& in, Pattern pattern) {
  Matrix out(in.rows, in.columns);
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const std::int64_t first = row - row % pattern.block_rows;
    const std::int64_t last = std::min(first + pattern.block_rows, in.rows);
    for (std::int64_t begin = 0; begin < in.columns; begin += pattern.m) {
      const std::int64_t end = std::min(begin + pattern.m, in.columns);
      const auto selected = best_of(in, first, last, choices(begin, end, 4));
      std::vector<std::vector<std::int64_t>> pairs;
      for (const auto& places : choices(0, std::ssize(selected), 2)) {
        std::vector<std::int64_t>& pair = pairs.emplace_back();
        for (const std::int64_t at : places) {
          pair.push_back(selected[static_cast<std::size_t>(at)]);
        }
      }
      for (const std::int64_t column : best_of(in, row, row + 1, pairs)) {
        out.at(row, column) = in.at(row, column);
      }
    }
  }
  return out;
}

/// Sums 5, 4, 4, 2, 4, 5: columns 0, 1, 2 and 5, of the three fours the first two.
TEST(ColumnSelection, ABlockSharesTheColumnsWithTheLargestSums) {
  const Matrix in = matrix_of(2, 6, {1, -4, 3, 1, 2, 0, -4, 0, 1, 1, 2, 5});
  const Pattern pattern{2, 6, 1, 0, 2};
  EXPECT_EQ(select_columns(in, pattern), (std::vector<std::int64_t>{0, 1, 2, 5}));
  EXPECT_EQ(to_columns(in, pattern).values,
            (std::vector<float>{0, -4, 3, 0, 0, 0, -4, 0, 0, 0, 0, 5}));
}

/// Each row alone: 4 of 6 and 2 of these are the 2 of 6.
TEST(ColumnSelection, BlocksOfOneRowKeepTheTwoLargest) {
  const Matrix in = matrix_of(2, 6, {1, -4, 3, 1, 2, 0, -4, 0, 1, 1, 2, 5});
  EXPECT_EQ(to_columns(in, {2, 6, 1, 0, 1}).values,
            (std::vector<float>{0, -4, 3, 0, 0, 0, -4, 0, 0, 0, 0, 5}));
}

/// The second group has three columns, the second block one row.
TEST(ColumnSelection, ShortGroupsSelectWhatThereIs) {
  const Matrix in = matrix_of(3, 8, {1, 2, 3, 4, 5, 1, 2, 3,  //
                                     5, 4, 3, 2, 1, 3, 2, 1,  //
                                     1, 1, 1, 1, 9, 0, 7, 8});
  const Pattern pattern{2, 5, 1, 0, 2};
  EXPECT_EQ(select_columns(in, pattern),
            (std::vector<std::int64_t>{0, 1, 2, 3, 5, 6, 7, kNoColumn,  //
                                       0, 1, 2, 4, 5, 6, 7, kNoColumn}));
}

TEST(ColumnSelection, IsTheBestOfAllChoices) {
  SCOPED_TRACE(seed_text());
  std::uint64_t seed = base_seed();
  for (const std::int64_t group : {5, 7, 8}) {
    for (const std::int64_t block_rows : {1, 2, 3, 16}) {
      const Pattern pattern{2, group, 1, 0, block_rows};
      for (const std::int64_t rows : {1, 3, 7}) {
        for (const std::int64_t columns : {group - 1, 2 * group, 2 * group + 3}) {
          const Matrix in = coarse_matrix(rows, columns, seed++);
          const Matrix out = to_columns(in, pattern);
          EXPECT_EQ(out.values, by_trying_all(in, pattern).values) << pattern.to_string();
          EXPECT_EQ(to_columns(in, pattern, 3).values, out.values);
          EXPECT_EQ(count_violations(out, pattern), 0);
        }
      }
    }
  }
}

/// Each row keeps two of five, but both together use five columns.
TEST(ColumnSelection, ABlockWithTooManyColumnsViolatesThePattern) {
  const Matrix in = matrix_of(3, 5, {1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(count_violations(in, {2, 5}), 0);
  EXPECT_EQ(count_violations(in, {2, 5, 1, 0, 2}), 0);
  EXPECT_EQ(count_violations(in, {2, 5, 1, 0, 3}), 1);
}

std::string complaint(const Tensor& tensor, const std::string& scheme) {
  PruneOptions options;
  options.pattern = {2, 6, 1, 0, 2};
  options.axis = 1;
  try {
    (void)prune(tensor, scheme, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnSelection, IsForMatricesAndByMagnitude) {
  const Tensor matrix{{2, 6}, {1, -4, 3, 1, 2, 0, -4, 0, 1, 1, 2, 5}};
  EXPECT_EQ(complaint(matrix, "magnitude"), "");
  EXPECT_EQ(complaint(matrix, "random"),
            "error: the scheme random chooses in each row for itself, not as 2:2:6 does");
  const Tensor cube{{2, 3, 2}, {1, -4, 3, 1, 2, 0, -4, 0, 1, 1, 2, 5}};
  EXPECT_EQ(complaint(cube, "magnitude"),
            "error: 2:2:6 is for matrices, the tensor has the shape 2x3x2");
}

TEST(ColumnSelection, PrunesTensorsByMagnitude) {
  const Tensor matrix{{2, 6}, {1, -4, 3, 1, 2, 0, -4, 0, 1, 1, 2, 5}};
  PruneOptions options;
  options.pattern = {2, 6, 1, 0, 2};
  options.axis = 1;
  EXPECT_EQ(prune(matrix, "magnitude", options).values.values,
            (std::vector<float>{0, -4, 3, 0, 0, 0, -4, 0, 0, 0, 0, 5}));
}

}  // namespace
}  // namespace stcsim::pruning
