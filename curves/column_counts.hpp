#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "curves/cell.hpp"
#include "curves/note_list.hpp"

namespace stcsim::curves {

/// How many cells of the columns of a table are numbers, and how many text that should be one.
class ColumnCounts {
 public:
  ColumnCounts() = default;
  explicit ColumnCounts(std::vector<std::string> names)
      : names_(std::move(names)), columns_(names_.size()) {}

  void take(std::size_t column, const Cell& cell, const SourceLocation& where);
  /// A note for every column with text in it.
  void tell(NoteList& notes) const;

 private:
  struct Column {
    std::size_t numbers = 0;
    std::size_t texts = 0;
    SourceLocation first_text;
  };
  std::vector<std::string> names_;
  std::vector<Column> columns_;
};

}  // namespace stcsim::curves
