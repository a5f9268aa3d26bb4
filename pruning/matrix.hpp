#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/pattern.hpp"

namespace stcsim::pruning {

/// Numbers with any number of axes, at least one; the last axis is contiguous (C order).
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Product of the extents.
[[nodiscard]] std::int64_t element_count(const std::vector<std::int64_t>& shape);

/// "2x3x4".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

/// Indices of the element at `offset` of the values, "[1, 0, 2]".
[[nodiscard]] std::string position_text(const std::vector<std::int64_t>& shape,
                                        std::int64_t offset);

/// Throws ConfigError unless there is an axis, every extent is at least 1 and the number of values
/// is that of the shape.
void validate(const Tensor& tensor);

/// rows x columns numbers, row after row. Everything here prunes along the columns of matrices:
/// an aligned group is m consecutive elements of a row. A last, shorter group counts as filled up
/// with zeros.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;

  Matrix() = default;
  /// All zeros.
  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count * column_count)) {}

  [[nodiscard]] float& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  [[nodiscard]] float at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  [[nodiscard]] std::span<float> row(std::int64_t index) {
    return {&values[static_cast<std::size_t>(index * columns)], static_cast<std::size_t>(columns)};
  }
  [[nodiscard]] std::span<const float> row(std::int64_t index) const {
    return {&values[static_cast<std::size_t>(index * columns)], static_cast<std::size_t>(columns)};
  }
};

[[nodiscard]] Matrix transposed(const Matrix& matrix);

/// Aligned groups of m elements that cover a row, the last one perhaps shorter.
[[nodiscard]] std::int64_t groups_per_row(const Matrix& matrix, std::int64_t m);

/// Groups along the rows with more than n non-zeros, or with non-zeros in more than n/2 pairs; of
/// V:2:m also groups of a block of V rows with non-zeros in more than four columns.
[[nodiscard]] std::int64_t count_violations(const Matrix& matrix, Pattern pattern);

/// Which axes of a tensor become the columns (the pruned axis) and the rows of matrices.
struct Axes {
  std::size_t columns = 0;
  /// Without it there is one matrix, whose rows are all other axes in their order. With it there
  /// is a matrix (a plane) for every index of the axes that are neither, in their order.
  std::optional<std::size_t> rows;
};

[[nodiscard]] std::vector<Matrix> to_planes(const Tensor& tensor, Axes axes);
/// The inverse of to_planes() for a tensor of that shape.
[[nodiscard]] Tensor from_planes(const std::vector<Matrix>& planes,
                                 const std::vector<std::int64_t>& shape, Axes axes);

}  // namespace stcsim::pruning
