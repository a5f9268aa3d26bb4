#include "sim/functional/selected_operands.hpp"

#include <algorithm>

#include "common/counts.hpp"
#include "pruning/column_selection.hpp"

namespace stcsim {
namespace {

pruning::Matrix one_matrix(const PlainMatrix& matrix, std::int64_t batch) {
  pruning::Matrix one(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::ranges::copy(matrix.row(batch, row), one.row(row).begin());
  }
  return one;
}

}  // namespace

SelectedColumns select_columns(const PlainMatrix& a, Pattern pattern) {
  const std::int64_t width = ceil_div(a.columns, pattern.m) * kOfSelectedColumns.m;
  SelectedColumns selected{PlainMatrix(a.batch_count, a.rows, width), {}};
  for (std::int64_t batch = 0; batch < a.batch_count; ++batch) {
    const std::vector<std::int64_t> columns =
        pruning::select_columns(one_matrix(a, batch), pattern);
    for (std::int64_t row = 0; row < a.rows; ++row) {
      const std::int64_t first = row / pattern.block_rows * width;
      for (std::int64_t at = 0; at < width; ++at) {
        const std::int64_t column = columns[as_size(first + at)];
        if (column != pruning::kNoColumn) selected.a.at(batch, row, at) = a.at(batch, row, column);
      }
    }
    selected.rows_of_b.insert(selected.rows_of_b.end(), columns.begin(), columns.end());
  }
  return selected;
}

void prune_to_columns(PlainMatrix& matrix, Pattern pattern) {
  for (std::int64_t batch = 0; batch < matrix.batch_count; ++batch) {
    pruning::Matrix pruned(matrix.rows, matrix.columns);
    pruning::prune_to_columns(one_matrix(matrix, batch), pattern, 1, pruned);
    std::ranges::copy(pruned.values, &matrix.at(batch, 0, 0));
  }
}

}  // namespace stcsim
