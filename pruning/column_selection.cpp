#include "pruning/column_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "common/counts.hpp"
#include "pruning/groups.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::size_t kSelected = kOfSelectedColumns.m;
using Selected = std::array<std::int64_t, kSelected>;

/// Selects of the columns from `begin` on, in the rows [first, last).
Selected select_in(const Matrix& in, std::int64_t first, std::int64_t last, std::int64_t begin,
                   std::int64_t group) {
  const std::int64_t end = std::min(begin + group, in.columns);
  std::vector<double> sums(static_cast<std::size_t>(end - begin), 0.0);
  for (std::int64_t row = first; row < last; ++row) {
    for (std::int64_t column = begin; column < end; ++column) {
      sums[static_cast<std::size_t>(column - begin)] += std::abs(in.at(row, column));
    }
  }
  std::vector<std::int64_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return sums[static_cast<std::size_t>(a)] > sums[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), kSelected));
  std::sort(order.begin(), order.end());
  Selected selected;
  selected.fill(kNoColumn);
  for (std::size_t at = 0; at < order.size(); ++at) selected[at] = begin + order[at];
  return selected;
}

/// Keeps the two largest of those.
void keep_largest(std::span<const float> from, const Selected& selected, std::span<float> to) {
  std::array<float, kSelected> values{};
  std::array<std::int32_t, kSelected> ranks{};
  std::size_t count = 0;
  for (; count < kSelected && selected[count] != kNoColumn; ++count) {
    values[count] = from[static_cast<std::size_t>(selected[count])];
  }
  magnitude_ranks(std::span(values).first(count), ranks);
  for (std::size_t at = 0; at < count; ++at) {
    if (ranks[at] >= kOfSelectedColumns.n) continue;
    to[static_cast<std::size_t>(selected[at])] = values[at];
  }
}

/// Rows of a block.
std::int64_t end_of_block(const Matrix& in, Pattern pattern, std::int64_t block) {
  return std::min((block + 1) * pattern.block_rows, in.rows);
}

std::int64_t blocks_of(const Matrix& in, Pattern pattern) {
  return ceil_div(in.rows, pattern.block_rows);
}

}  // namespace

std::vector<std::int64_t> select_columns(const Matrix& in, Pattern pattern) {
  std::vector<std::int64_t> all;
  for (std::int64_t block = 0; block < blocks_of(in, pattern); ++block) {
    const std::int64_t last = end_of_block(in, pattern, block);
    for (std::int64_t begin = 0; begin < in.columns; begin += pattern.m) {
      const Selected columns = select_in(in, block * pattern.block_rows, last, begin, pattern.m);
      all.insert(all.end(), columns.begin(), columns.end());
    }
  }
  return all;
}

void prune_to_columns(const Matrix& in, Pattern pattern, int threads, Matrix& out) {
  std::ranges::fill(out.values, 0.0F);
  const auto prune_block = [&](std::int64_t block) {
    const std::int64_t first = block * pattern.block_rows;
    const std::int64_t last = end_of_block(in, pattern, block);
    for (std::int64_t begin = 0; begin < in.columns; begin += pattern.m) {
      const Selected columns = select_in(in, first, last, begin, pattern.m);
      for (std::int64_t row = first; row < last; ++row) {
        keep_largest(in.row(row), columns, out.row(row));
      }
    }
  };
  parallel_ranges(blocks_of(in, pattern), threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) prune_block(block);
  });
}

}  // namespace stcsim::pruning
