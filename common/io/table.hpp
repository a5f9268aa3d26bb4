#pragma once

#include <string>
#include <vector>

#include "common/io/format.hpp"

namespace stcsim {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::left;
  /// The rank of columns to leave out where a table must be narrower: the highest, all of them; 0
  /// never does.
  int dispensable = 0;
  /// Cells that are too long go on in lines below, instead of being cut in the middle.
  bool wraps = false;
};

/// A plain text table: header, rule, rows; columns two spaces apart and as wide as their widest
/// cell; no trailing spaces.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  /// @throws std::invalid_argument unless there is one cell per column
  void add_row(std::vector<std::string> cells);
  /// A rule across the table below the last row added.
  void add_rule();

  /// The table as lines, each ended by a newline.
  [[nodiscard]] std::string to_string() const;
  /// The same in at most `width` columns, if that can be: headers break between words, the longest
  /// cells aligned to the left are cut in the middle or wrapped, and dispensable columns are left
  /// out and named in a last line.
  [[nodiscard]] std::string to_string(std::size_t width) const;
  /// The table in Markdown, without its rules.
  [[nodiscard]] std::string to_markdown() const;

 private:
  /// The layout a table is printed in: which columns, how wide, and their headers line by line.
  struct Layout {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> widths;  // of all columns
    std::vector<std::vector<std::string>> headers;

    [[nodiscard]] std::size_t width() const;
  };

  [[nodiscard]] std::size_t widest_cell(std::size_t column) const;
  [[nodiscard]] Layout natural_layout() const;
  /// Breaks the headers that are wider than their cells.
  void break_headers(Layout& layout) const;
  /// Leaves out columns until the rest can be cut to `width`.
  void leave_out(Layout& layout, std::size_t width) const;
  void cut_cells(Layout& layout, std::size_t width) const;
  /// The lines of a row: one, unless a cell is wrapped.
  [[nodiscard]] std::string lines_of(const Layout& layout,
                                     const std::vector<std::string>& cells) const;
  [[nodiscard]] std::string line_of(const Layout& layout,
                                    const std::vector<std::string>& cells) const;
  [[nodiscard]] std::string print(const Layout& layout) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace stcsim
