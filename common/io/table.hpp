#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stcsim {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::left;
};

/// Terminal columns a UTF-8 text takes: one per code point. Enough for ×, Δ and accented letters;
/// wide and combining characters are not told apart.
[[nodiscard]] std::size_t display_width(std::string_view text);

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
  /// The table in Markdown, without its rules.
  [[nodiscard]] std::string to_markdown() const;
  /// The table in HTML, without its rules; right-aligned cells are of class "r".
  [[nodiscard]] std::string to_html() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace stcsim
