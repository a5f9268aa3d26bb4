#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// Sizes of a block at the edge: how much of it lies in the matrix.
struct BlockPlace {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

inline BlockPlace block_place(const Matrix& matrix, std::int64_t m, std::int64_t row,
                              std::int64_t column) {
  return {row, column, std::min(m, matrix.rows - row), std::min(m, matrix.columns - column)};
}

/// Copies the block, filled up with zeros to m x m.
inline void read_block(const Matrix& in, const BlockPlace& place, std::int64_t m,
                       std::span<float> block) {
  std::ranges::fill(block, 0.0F);
  for (std::int64_t i = 0; i < place.rows; ++i) {
    std::copy_n(&in.values[static_cast<std::size_t>((place.row + i) * in.columns + place.column)],
                place.columns, &block[static_cast<std::size_t>(i * m)]);
  }
}

/// Writes the kept elements of the block, and zeros.
inline void write_block(std::span<const float> block, std::span<const std::uint8_t> keep,
                        const BlockPlace& place, std::int64_t m, Matrix& out) {
  for (std::int64_t i = 0; i < place.rows; ++i) {
    for (std::int64_t j = 0; j < place.columns; ++j) {
      const auto at = static_cast<std::size_t>(i * m + j);
      out.at(place.row + i, place.column + j) = keep[at] != 0 ? block[at] : 0.0F;
    }
  }
}

/// Masks every m x m block of `in`: a solver from make_solver(), one per thread, is called with a
/// block's elements, row after row, and sets `keep` to 1 for those to keep and to 0 for the rest.
/// Blocks at the edges are filled up with zeros. `out` has the shape of `in`.
template <typename MakeSolver>
void transform_blocks(const Matrix& in, std::int64_t m, const Execution& how, Matrix& out,
                      MakeSolver make_solver) {
  const std::int64_t block_rows = (in.rows + m - 1) / m;
  std::mutex reporting;
  std::int64_t done = 0;
  parallel_ranges(block_rows, how.threads, [&](std::int64_t begin, std::int64_t end) {
    auto solver = make_solver();
    std::vector<float> block(static_cast<std::size_t>(m * m));
    std::vector<std::uint8_t> keep(block.size());
    for (std::int64_t block_row = begin; block_row < end; ++block_row) {
      for (std::int64_t column = 0; column < in.columns; column += m) {
        const BlockPlace place = block_place(in, m, block_row * m, column);
        read_block(in, place, m, block);
        solver(std::span<const float>(block), std::span<std::uint8_t>(keep));
        write_block(block, keep, place, m, out);
      }
      if (!how.progress) continue;
      const std::lock_guard lock(reporting);
      how.progress(++done, block_rows);
    }
  });
}

}  // namespace stcsim::pruning
