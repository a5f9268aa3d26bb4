#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "pruning/blocks.hpp"
#include "pruning/groups.hpp"
#include "pruning/transposable.hpp"

namespace stcsim::pruning {
namespace {

/// Blocks worked on at once, side by side.
constexpr std::int64_t kLanes = 32;
constexpr int kSide = 4;
constexpr int kPairs = 6;
/// The two elements a row keeps, lower indices first.
constexpr std::array<std::array<int, 2>, kPairs> kPair{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// A mask as the pairs its rows keep, and as bits: 4 * row + column.
struct BlockMask {
  std::array<int, kSide> pairs{};
  std::int32_t bits = 0;
};

constexpr BlockMask mask_of(int number) {
  BlockMask mask;
  for (int row = kSide - 1; row >= 0; --row, number /= kPairs) {
    const int pair = number % kPairs;
    mask.pairs.at(static_cast<std::size_t>(row)) = pair;
    for (const int column : kPair.at(static_cast<std::size_t>(pair))) {
      mask.bits |= 1 << (kSide * row + column);
    }
  }
  return mask;
}

constexpr bool columns_hold_two(std::int32_t bits) {
  for (int column = 0; column < kSide; ++column) {
    int count = 0;
    for (int row = 0; row < kSide; ++row) count += (bits >> (kSide * row + column)) & 1;
    if (count != 2) return false;
  }
  return true;
}

/// All masks, those that keep lower indices first.
constexpr std::array<BlockMask, kTransposableMasks> all_masks() {
  std::array<BlockMask, kTransposableMasks> masks{};
  std::size_t found = 0;
  for (int number = 0; number < kPairs * kPairs * kPairs * kPairs; ++number) {
    const BlockMask mask = mask_of(number);
    if (columns_hold_two(mask.bits)) masks.at(found++) = mask;
  }
  return masks;
}

constexpr std::array<BlockMask, kTransposableMasks> kMasks = all_masks();

using Lane = float[kLanes];

inline float value_if(std::int32_t condition, float value) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(value) & -condition);
}

/// Magnitudes two rows keep, for each choice of their pairs.
struct HalfSums {
  Lane sums[kPairs][kPairs];
};

inline void add_rows(const Lane* first, const Lane* second, HalfSums& half) {
  for (int p = 0; p < kPairs; ++p) {
    for (int q = 0; q < kPairs; ++q) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        half.sums[p][q][lane] = first[p][lane] + second[q][lane];
      }
    }
  }
}

/// Sums of the pairs of a row of `kLanes` blocks.
inline void add_pairs(const float* row, Lane* pairs) {
  Lane magnitudes[kSide];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    magnitudes[0][lane] = std::abs(row[kSide * lane]);
    magnitudes[1][lane] = std::abs(row[kSide * lane + 1]);
    magnitudes[2][lane] = std::abs(row[kSide * lane + 2]);
    magnitudes[3][lane] = std::abs(row[kSide * lane + 3]);
  }
  for (int p = 0; p < kPairs; ++p) {
    const auto [left, right] = kPair[static_cast<std::size_t>(p)];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      pairs[p][lane] = magnitudes[left][lane] + magnitudes[right][lane];
    }
  }
}

/// Takes a mask where it keeps more than the best so far. A function of its own, since the compiler
/// would otherwise merge the loops over masks, which it then does not vectorise.
STCSIM_CLONES
void take_better(const float* __restrict upper, const float* __restrict lower, std::int32_t bits,
                 float* __restrict best, std::int32_t* __restrict chosen) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const float sum = upper[lane] + lower[lane];
    const std::int32_t better = -std::int32_t{sum > best[lane]};
    best[lane] = std::max(best[lane], sum);
    chosen[lane] = (bits & better) | (chosen[lane] & ~better);
  }
}

inline void choose(const HalfSums& top, const HalfSums& bottom, std::int32_t* chosen) {
  Lane best;
  std::fill_n(best, kLanes, -1.0F);
  for (const BlockMask& mask : kMasks) {
    take_better(top.sums[mask.pairs[0]][mask.pairs[1]], bottom.sums[mask.pairs[2]][mask.pairs[3]],
                mask.bits, best, chosen);
  }
}

/// Zeroes what a row of `kLanes` blocks does not keep.
inline void mask_row(const std::int32_t* chosen, std::size_t row, float* values) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int32_t bits = chosen[lane] >> (kSide * row);
    values[kSide * lane] = value_if(bits & 1, values[kSide * lane]);
    values[kSide * lane + 1] = value_if((bits >> 1) & 1, values[kSide * lane + 1]);
    values[kSide * lane + 2] = value_if((bits >> 2) & 1, values[kSide * lane + 2]);
    values[kSide * lane + 3] = value_if((bits >> 3) & 1, values[kSide * lane + 3]);
  }
}

/// The four rows of `kLanes` blocks.
using Rows = std::array<std::array<float, kSide * kLanes>, kSide>;

/// Zeroes what the best masks do not keep.
STCSIM_CLONES
void mask_blocks(Rows& rows) {
  Lane pairs[kSide][kPairs];
  for (std::size_t row = 0; row < kSide; ++row) add_pairs(rows[row].data(), pairs[row]);
  HalfSums top;
  HalfSums bottom;
  add_rows(pairs[0], pairs[1], top);
  add_rows(pairs[2], pairs[3], bottom);
  std::int32_t chosen[kLanes] = {};
  choose(top, bottom, chosen);
  for (std::size_t row = 0; row < kSide; ++row) mask_row(chosen, row, rows[row].data());
}

/// Rows from `row` on and columns from `column` on, as many as there are.
void mask_part(const Matrix& in, std::int64_t row, std::int64_t column, Matrix& out) {
  const std::int64_t rows = std::min<std::int64_t>(kSide, in.rows - row);
  const std::int64_t columns = std::min<std::int64_t>(kSide * kLanes, in.columns - column);
  Rows part{};
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(in.row(row + i).begin() + column, columns,
                part.at(static_cast<std::size_t>(i)).begin());
  }
  mask_blocks(part);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(part.at(static_cast<std::size_t>(i)).begin(), columns,
                out.row(row + i).begin() + column);
  }
}

/// Finds masks one element after the other; of equal magnitudes the lower index is preferred.
class GreedySolver {
 public:
  explicit GreedySolver(Pattern pattern) : pattern_(pattern) {
    const std::int64_t size = pattern.m * pattern.m;
    ranks_.resize(static_cast<std::size_t>(size));
    order_.resize(ranks_.size());
    for (std::int64_t i = 0; i < size; ++i) {
      rows_.push_back(static_cast<std::uint8_t>(i / pattern.m));
      columns_.push_back(static_cast<std::uint8_t>(i % pattern.m));
    }
  }

  void keep_largest(std::span<const float> block, std::span<std::uint8_t> keep) {
    sort(block);
    const auto most = static_cast<std::uint8_t>(pattern_.n);
    for (const std::uint32_t index : order_) {
      std::uint8_t& row = in_row_[rows_[index]];
      std::uint8_t& column = in_column_[columns_[index]];
      const auto kept =
          static_cast<std::uint8_t>(std::uint8_t{row < most} & std::uint8_t{column < most});
      keep[index] = kept;
      row = static_cast<std::uint8_t>(row + kept);
      column = static_cast<std::uint8_t>(column + kept);
    }
  }

  void prune_smallest(std::span<const float> block, std::span<std::uint8_t> keep) {
    sort(block);
    const auto wanted = static_cast<std::uint8_t>(pattern_.m - pattern_.n);
    for (auto index = order_.rbegin(); index != order_.rend(); ++index) {
      std::uint8_t& row = in_row_[rows_[*index]];
      std::uint8_t& column = in_column_[columns_[*index]];
      const auto pruned =
          static_cast<std::uint8_t>(std::uint8_t{row < wanted} | std::uint8_t{column < wanted});
      keep[*index] = static_cast<std::uint8_t>(1 - pruned);
      row = static_cast<std::uint8_t>(row + pruned);
      column = static_cast<std::uint8_t>(column + pruned);
    }
  }

 private:
  void sort(std::span<const float> block) {
    magnitude_ranks(block, ranks_);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      order_[static_cast<std::size_t>(ranks_[i])] = static_cast<std::uint32_t>(i);
    }
    in_row_.fill(0);
    in_column_.fill(0);
  }

  Pattern pattern_;
  std::vector<std::uint8_t> rows_;  // of every element
  std::vector<std::uint8_t> columns_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::uint32_t> order_;              // indices from the largest magnitude down
  std::array<std::uint8_t, kMaxGroup> in_row_{};  // elements counted so far
  std::array<std::uint8_t, kMaxGroup> in_column_{};
};

}  // namespace

void prune_greedy_keep(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = GreedySolver(pattern)](auto block, auto keep) mutable {
      solver.keep_largest(block, keep);
    };
  });
}

void prune_greedy_prune(const Matrix& in, Pattern pattern, const Execution& how, Matrix& out) {
  transform_blocks(in, pattern.m, how, out, [&] {
    return [solver = GreedySolver(pattern)](auto block, auto keep) mutable {
      solver.prune_smallest(block, keep);
    };
  });
}

void prune_exhaustively(const Matrix& in, const Execution& how, Matrix& out) {
  const std::int64_t block_rows = (in.rows + kSide - 1) / kSide;
  parallel_ranges(block_rows, how.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin * kSide; row < end * kSide; row += kSide) {
      for (std::int64_t column = 0; column < in.columns; column += kSide * kLanes) {
        mask_part(in, row, column, out);
      }
    }
  });
}

}  // namespace stcsim::pruning
