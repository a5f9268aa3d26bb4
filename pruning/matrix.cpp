#include "pruning/matrix.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/counts.hpp"
#include "common/error.hpp"

namespace stcsim::pruning {

std::int64_t element_count(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string position_text(const std::vector<std::int64_t>& shape, std::int64_t offset) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = offset % shape[axis];
    offset /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(position, ", "));
}

void validate(const Tensor& tensor) {
  const auto& shape = tensor.shape;
  if (shape.empty()) throw ConfigError("the tensor has no axis, must have at least one");
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 1; })) {
    throw ConfigError("the tensor's shape is " + shape_text(shape) +
                      ", every axis must have at least one element");
  }
  if (element_count(shape) != std::ssize(tensor.values)) {
    throw ConfigError(fmt::format("the tensor has {} values, its shape {} asks for {}",
                                  tensor.values.size(), shape_text(shape), element_count(shape)));
  }
}

namespace {

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    strides[axis] = strides[axis + 1] * shape[axis + 1];
  }
  return strides;
}

/// The axes that number the rows of all planes, slowest first.
std::vector<std::size_t> row_axes(std::size_t rank, Axes axes) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (axis != axes.columns && axis != axes.rows) order.push_back(axis);
  }
  if (axes.rows) order.push_back(*axes.rows);
  return order;
}

/// Offset in the tensor of the first element of every row, rows of all planes in order.
std::vector<std::int64_t> row_offsets(const std::vector<std::int64_t>& shape, Axes axes) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  std::vector<std::int64_t> offsets{0};
  for (const std::size_t axis : row_axes(shape.size(), axes)) {
    std::vector<std::int64_t> finer;
    finer.reserve(offsets.size() * as_size(shape[axis]));
    for (const std::int64_t offset : offsets) {
      for (std::int64_t at = 0; at < shape[axis]; ++at)
        finer.push_back(offset + at * strides[axis]);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

/// Granules of a group (of which the last may be cut short) that hold non-zeros.
std::int64_t used_granules(std::span<const float> group, Pattern pattern) {
  const auto size = as_size(pattern.granule);
  std::int64_t used = 0;
  for (; !group.empty(); group = group.subspan(std::min(size, group.size()))) {
    const auto granule = group.first(std::min(size, group.size()));
    if (std::ranges::count(granule, 0.0F) < std::ssize(granule)) ++used;
  }
  return used;
}

/// Columns in which any of the rows [first, last) has a non-zero.
std::int64_t used_columns(const Matrix& matrix, std::int64_t first, std::int64_t last,
                          std::int64_t begin, std::int64_t end) {
  std::int64_t used = 0;
  for (std::int64_t column = begin; column < end; ++column) {
    std::int64_t row = first;
    while (row < last && matrix.at(row, column) == 0) ++row;
    if (row < last) ++used;
  }
  return used;
}

/// Counts, for a pattern V:2:m, blocks of V rows and m columns with non-zeros in more columns than
/// may be.
std::int64_t count_wide_blocks(const Matrix& matrix, Pattern pattern) {
  std::int64_t wide = 0;
  for (std::int64_t first = 0; first < matrix.rows; first += pattern.block_rows) {
    const std::int64_t last = std::min(first + pattern.block_rows, matrix.rows);
    for (std::int64_t begin = 0; begin < matrix.columns; begin += pattern.m) {
      const std::int64_t end = std::min(begin + pattern.m, matrix.columns);
      if (used_columns(matrix, first, last, begin, end) > kOfSelectedColumns.m) ++wide;
    }
  }
  return wide;
}

}  // namespace

Matrix transposed(const Matrix& matrix) {
  constexpr std::int64_t kTile = 32;
  Matrix result(matrix.columns, matrix.rows);
  for (std::int64_t row_tile = 0; row_tile < matrix.rows; row_tile += kTile) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      const std::int64_t end = std::min(row_tile + kTile, matrix.rows);
      for (std::int64_t row = row_tile; row < end; ++row) {
        result.at(column, row) = matrix.at(row, column);
      }
    }
  }
  return result;
}

std::int64_t groups_per_row(const Matrix& matrix, std::int64_t m) {
  return (matrix.columns + m - 1) / m;
}

std::int64_t count_violations(const Matrix& matrix, Pattern pattern) {
  std::int64_t violations = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::span<const float> values = matrix.row(row);
    for (std::int64_t begin = 0; begin < matrix.columns; begin += pattern.m) {
      const std::int64_t length = std::min(pattern.m, matrix.columns - begin);
      const auto group = values.subspan(as_size(begin), as_size(length));
      if (used_granules(group, pattern) > pattern.of_granules().n) ++violations;
    }
  }
  return pattern.selects_columns() ? violations + count_wide_blocks(matrix, pattern) : violations;
}

std::vector<Matrix> to_planes(const Tensor& tensor, Axes axes) {
  const std::vector<std::int64_t> offsets = row_offsets(tensor.shape, axes);
  const std::int64_t columns = tensor.shape[axes.columns];
  const std::int64_t stride = strides_of(tensor.shape)[axes.columns];
  const std::int64_t rows = axes.rows ? tensor.shape[*axes.rows] : std::ssize(offsets);
  std::vector<Matrix> planes(offsets.size() / as_size(rows), Matrix(rows, columns));
  for (std::size_t line = 0; line < offsets.size(); ++line) {
    const std::span<float> to =
        planes[line / as_size(rows)].row(static_cast<std::int64_t>(line % as_size(rows)));
    const float* const from = &tensor.values[as_size(offsets[line])];
    for (std::int64_t column = 0; column < columns; ++column) {
      to[as_size(column)] = from[column * stride];
    }
  }
  return planes;
}

Tensor from_planes(const std::vector<Matrix>& planes, const std::vector<std::int64_t>& shape,
                   Axes axes) {
  const std::vector<std::int64_t> offsets = row_offsets(shape, axes);
  const std::int64_t stride = strides_of(shape)[axes.columns];
  const auto rows = as_size(planes.front().rows);
  Tensor tensor{shape, std::vector<float>(as_size(element_count(shape)))};
  for (std::size_t line = 0; line < offsets.size(); ++line) {
    const std::span<const float> from =
        planes[line / rows].row(static_cast<std::int64_t>(line % rows));
    float* const to = &tensor.values[as_size(offsets[line])];
    for (std::size_t column = 0; column < from.size(); ++column) {
      to[static_cast<std::int64_t>(column) * stride] = from[column];
    }
  }
  return tensor;
}

}  // namespace stcsim::pruning
