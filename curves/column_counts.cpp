#include "curves/column_counts.hpp"

#include <fmt/format.h>

namespace stcsim::curves {

void ColumnCounts::take(std::size_t column, const Cell& cell, const SourceLocation& where) {
  Column& count = columns_[column];
  if (cell.kind == Cell::Kind::number) ++count.numbers;
  if (cell.kind != Cell::Kind::text) return;
  if (count.texts++ == 0) count.first_text = where;
}

void ColumnCounts::tell(NoteList& notes) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (column.texts == 0) continue;
    notes.add(column.first_text,
              column.numbers == 0
                  ? fmt::format("column '{}' holds no numbers; left out", names_[i])
                  : fmt::format("column '{}': {} no number; left out", names_[i],
                                column.texts == 1 ? "this value is"
                                                  : fmt::format("{} values are", column.texts)));
  }
}

}  // namespace stcsim::curves
