#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pruning/matrix.hpp"
#include "pruning/parallel.hpp"

namespace stcsim::pruning {

/// Rank of every element by magnitude: 0 is the largest; of equal ones the lower index comes first.
/// NaN counts as larger than every number.
void magnitude_ranks(std::span<const float> values, std::span<std::int32_t> ranks);

/// Calls kernel(group, in, out) for every group of `in`: its number (row after row), its m elements
/// and where the m results go. A short group comes filled up with zeros. `out` has the shape of
/// `in`. The kernel runs on several threads at once.
template <typename Kernel>
void transform_groups(const Matrix& in, std::int64_t m, int threads, Matrix& out, Kernel kernel) {
  const auto size = static_cast<std::size_t>(m);
  const std::int64_t groups = groups_per_row(in, m);
  parallel_ranges(in.rows, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> padded(size);
    std::vector<float> result(size);
    for (std::int64_t row = begin; row < end; ++row) {
      std::span<const float> from = in.row(row);
      std::span<float> to = out.row(row);
      std::int64_t group = row * groups;
      for (; from.size() >= size; from = from.subspan(size), to = to.subspan(size)) {
        kernel(group++, from.first(size), to.first(size));
      }
      if (from.empty()) continue;
      std::ranges::fill(padded, 0.0F);
      std::ranges::copy(from, padded.begin());
      kernel(group, std::span<const float>(padded), std::span<float>(result));
      std::copy_n(result.begin(), to.size(), to.begin());
    }
  });
}

/// Calls kernel(first, count, in, out) for runs of contiguous groups of four: the number of the
/// first, how many, and their elements. Otherwise as transform_groups().
template <typename Kernel>
void transform_quads(const Matrix& in, int threads, Matrix& out, Kernel kernel) {
  constexpr std::int64_t kQuad = 4;
  const std::int64_t tail = in.columns % kQuad;
  const std::int64_t whole = in.columns / kQuad;
  if (tail == 0) {
    parallel_ranges(in.rows * whole, threads, [&](std::int64_t begin, std::int64_t end) {
      kernel(begin, end - begin, in.values.data() + begin * kQuad,
             out.values.data() + begin * kQuad);
    });
    return;
  }
  parallel_ranges(in.rows, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::span<const float> from = in.row(row);
      const std::span<float> to = out.row(row);
      const std::int64_t first = row * (whole + 1);
      kernel(first, whole, from.data(), to.data());
      std::array<float, kQuad> padded{};
      std::array<float, kQuad> result{};
      std::copy_n(from.end() - tail, tail, padded.begin());
      kernel(first + whole, std::int64_t{1}, padded.data(), result.data());
      std::copy_n(result.begin(), tail, to.end() - tail);
    }
  });
}

}  // namespace stcsim::pruning
