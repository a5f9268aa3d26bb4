#include "common/io/table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kGap = "  ";

/// Cells are not cut below this, so that names can still be told apart.
constexpr std::size_t kLeastCut = 16;

void append_cell(std::string& line, std::string_view text, Align align, std::size_t width) {
  const std::string padding(width - display_width(text), ' ');
  if (align == Align::right) line += padding;
  line += text;
  if (align == Align::left) line += padding;
}

void end_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line;
  text += '\n';
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::invalid_argument("a row of " + std::to_string(cells.size()) +
                                " cells in a table of " + std::to_string(columns_.size()) +
                                " columns");
  }
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  rows_.emplace_back();
}

std::size_t Table::Layout::width() const {
  std::size_t sum = columns.empty() ? 0 : kGap.size() * (columns.size() - 1);
  for (const std::size_t column : columns) sum += widths[column];
  return sum;
}

std::size_t Table::widest_cell(std::size_t column) const {
  std::size_t width = 0;
  for (const std::vector<std::string>& row : rows_) {
    if (!row.empty()) width = std::max(width, display_width(row[column]));
  }
  return width;
}

Table::Layout Table::natural_layout() const {
  Layout layout;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const std::string& header = columns_[column].header;
    layout.columns.push_back(column);
    layout.widths.push_back(std::max(display_width(header), widest_cell(column)));
    layout.headers.push_back({header});
  }
  return layout;
}

void Table::break_headers(Layout& layout) const {
  for (const std::size_t column : layout.columns) {
    const std::size_t cells = widest_cell(column);
    layout.headers[column] = wrap_words(columns_[column].header, cells);
    layout.widths[column] = cells;
    for (const std::string& line : layout.headers[column]) {
      layout.widths[column] = std::max(layout.widths[column], display_width(line));
    }
  }
}

void Table::leave_out(Layout& layout, std::size_t width) const {
  const auto least = [&] {
    Layout cut = layout;
    for (const std::size_t column : cut.columns) {
      if (columns_[column].align == Align::right) continue;
      cut.widths[column] = std::min(cut.widths[column], kLeastCut);
    }
    return cut.width();
  };
  while (least() > width) {
    int most = 0;
    for (const std::size_t column : layout.columns) {
      most = std::max(most, columns_[column].dispensable);
    }
    if (most == 0) return;
    std::erase_if(layout.columns,
                  [&](std::size_t column) { return columns_[column].dispensable == most; });
  }
}

void Table::cut_cells(Layout& layout, std::size_t width) const {
  while (layout.width() > width) {
    std::size_t* widest = nullptr;
    for (const std::size_t column : layout.columns) {
      std::size_t& own = layout.widths[column];
      const bool may_be_cut = columns_[column].align == Align::left && own > kLeastCut;
      if (may_be_cut && (widest == nullptr || own > *widest)) widest = &own;
    }
    if (widest == nullptr) break;
    --*widest;
  }
  for (const std::size_t column : layout.columns) {
    const bool is_cut = display_width(layout.headers[column].front()) > layout.widths[column];
    if (is_cut) layout.headers[column] = wrap_words(columns_[column].header, layout.widths[column]);
  }
}

std::string Table::line_of(const Layout& layout, const std::vector<std::string>& cells) const {
  std::string line;
  for (const std::size_t column : layout.columns) {
    const std::size_t width = layout.widths[column];
    const bool may_be_cut = columns_[column].align == Align::left;
    if (column != layout.columns.front()) line += kGap;
    append_cell(line, may_be_cut ? cut_middle(cells[column], width) : cells[column],
                columns_[column].align, width);
  }
  return line;
}

std::string Table::lines_of(const Layout& layout, const std::vector<std::string>& cells) const {
  std::vector<std::vector<std::string>> lines{cells};
  for (const std::size_t column : layout.columns) {
    if (!columns_[column].wraps) continue;
    const std::vector<std::string> parts = wrap_words(cells[column], layout.widths[column]);
    while (lines.size() < parts.size()) lines.emplace_back(cells.size());
    for (std::size_t line = 0; line < parts.size(); ++line) lines[line][column] = parts[line];
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) end_line(text, line_of(layout, line));
  return text;
}

std::string Table::print(const Layout& layout) const {
  std::string text;
  std::size_t height = 1;
  for (const std::size_t column : layout.columns) {
    height = std::max(height, layout.headers[column].size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<std::string> cells(columns_.size());
    for (const std::size_t column : layout.columns) {
      const std::vector<std::string>& header = layout.headers[column];
      const std::size_t above = height - header.size();  // headers stand on the rule
      if (line >= above) cells[column] = header[line - above];
    }
    end_line(text, line_of(layout, cells));
  }
  std::vector<std::string> rule(columns_.size());
  for (const std::size_t column : layout.columns) rule[column].assign(layout.widths[column], '-');
  end_line(text, line_of(layout, rule));
  for (const std::vector<std::string>& row : rows_) {
    text += lines_of(layout, row.empty() ? rule : row);
  }
  return text;
}

std::string Table::to_string() const {
  return print(natural_layout());
}

std::string Table::to_string(std::size_t width) const {
  Layout layout = natural_layout();
  if (layout.width() > width) break_headers(layout);
  leave_out(layout, width);
  cut_cells(layout, width);
  std::string text = print(layout);
  std::string names;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const auto& shown = layout.columns;
    if (std::find(shown.begin(), shown.end(), column) != shown.end()) continue;
    names += (names.empty() ? "" : ", ") + columns_[column].header;
  }
  if (!names.empty()) text += wrap_lines("(too wide for: " + names + ")", width);
  return text;
}

std::string Table::to_markdown() const {
  const auto line_of = [](const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) {
      line += ' ';
      for (const char character : cell) {
        if (character == '|') line += '\\';
        line += character;
      }
      line += " |";
    }
    return line + '\n';
  };
  std::vector<std::string> headers;
  std::string rule = "|";
  for (const Column& column : columns_) {
    headers.push_back(column.header);
    rule += column.align == Align::right ? "---:|" : "---|";
  }
  std::string text = line_of(headers) + rule + '\n';
  for (const std::vector<std::string>& row : rows_) {
    if (!row.empty()) text += line_of(row);
  }
  return text;
}

}  // namespace stcsim
