#include "curves/csv_cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "common/letter_case.hpp"

namespace stcsim::curves {

Cell read_cell(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNoValue{"", "NA", "N/A", "null", "None", "-"};
  const bool none = std::any_of(kNoValue.begin(), kNoValue.end(), [text](std::string_view known) {
    return same_but_case(known, text);
  });
  if (none) return {};
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop != end || error != std::errc{}) return {Cell::Kind::text, 0};
  return {Cell::Kind::number, number};
}

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

void Restarts::take(double x, std::size_t sample, int line) {
  if (!started_) {
    started_ = true;
    first_ = x;
  } else if (x > last_) {
    ++rises_;
  } else if (x < last_) {
    ++falls_;
    if (x <= first_) {
      found_.push_back({sample, line});
      first_ = x;
    }
  }
  last_ = x;
}

std::vector<Restart> Restarts::parts(std::size_t samples) const {
  std::vector<Restart> parts{{0, 0}};
  if (falls_ >= rises_) return parts;
  std::copy_if(found_.begin(), found_.end(), std::back_inserter(parts),
               [samples](const Restart& restart) { return restart.sample < samples; });
  return parts;
}

}  // namespace stcsim::curves
