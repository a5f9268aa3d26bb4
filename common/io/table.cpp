#include "common/io/table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/io/html_text.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kGap = "  ";

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

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

std::size_t display_width(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_code_point));
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::invalid_argument("a row of " + std::to_string(cells.size()) +
                                " cells in a table of " + std::to_string(columns_.size()) +
                                " columns");
  }
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  rows_.emplace_back();
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = display_width(columns_[column].header);
    for (const std::vector<std::string>& row : rows_) {
      if (!row.empty()) width = std::max(width, display_width(row[column]));
    }
    widths.push_back(width);
  }
  return widths;
}

std::string Table::to_string() const {
  const std::vector<std::size_t> column_widths = widths();
  std::string header;
  std::string rule;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const std::string_view gap = column == 0 ? "" : kGap;
    append_cell(header += gap, columns_[column].header, columns_[column].align,
                column_widths[column]);
    (rule += gap).append(column_widths[column], '-');
  }
  std::string text;
  end_line(text, header);
  end_line(text, rule);
  for (const std::vector<std::string>& row : rows_) {
    std::string line = row.empty() ? rule : "";
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) line += kGap;
      append_cell(line, row[column], columns_[column].align, column_widths[column]);
    }
    end_line(text, line);
  }
  return text;
}

std::string Table::to_html() const {
  const auto line_of = [&](const std::vector<std::string>& cells, const std::string& tag) {
    std::string line = "<tr>";
    for (std::size_t column = 0; column < cells.size(); ++column) {
      line += '<' + tag + (columns_[column].align == Align::right ? " class=\"r\">" : ">");
      line += html_text(cells[column]) + "</" + tag + '>';
    }
    return line + "</tr>\n";
  };
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  std::string text = "<table>\n<thead>\n" + line_of(headers, "th") + "</thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows_) {
    if (!row.empty()) text += line_of(row, "td");
  }
  return text + "</tbody>\n</table>\n";
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
