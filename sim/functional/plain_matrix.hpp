#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stcsim {

/// `batch_count` matrices as plain numbers, row after row: what the check computes with, free of
/// number formats, layouts, tiles and compression. Every number is exactly representable in the
/// type it stands for (all operand and output types are subsets of fp32).
struct PlainMatrix {
  std::int64_t batch_count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;

  PlainMatrix() = default;
  PlainMatrix(std::int64_t batches, std::int64_t row_count, std::int64_t column_count)
      : batch_count(batches),
        rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(batches * row_count * column_count)) {}

  [[nodiscard]] float& at(std::int64_t batch, std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
  }
  [[nodiscard]] float at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>((batch * rows + row) * columns + column)];
  }
  [[nodiscard]] std::span<const float> row(std::int64_t batch, std::int64_t row) const {
    return std::span(values).subspan(static_cast<std::size_t>((batch * rows + row) * columns),
                                     static_cast<std::size_t>(columns));
  }
};

}  // namespace stcsim
