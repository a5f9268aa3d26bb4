#include "reports/papers/paper_table.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "common/io/catalog.hpp"

namespace stcsim {
namespace {

template <class Number>
std::optional<Number> whole_text(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

CsvTable read_paper_table(const std::string& name, const std::vector<std::string>& columns) {
  CsvTable table = CsvTable::read(config_directory() / "papers" / (name + ".csv"));
  table.check_columns(columns, {});
  return table;
}

double PaperFields::number(std::string_view column, double least, double most) const {
  const auto value = whole_text<double>(text(column));
  // Not a number compares with nothing.
  if (!value || !(*value >= least && *value <= most)) {
    throw ConfigError(field(column).where, fmt::format("{} is '{}', must be a number from {} to {}",
                                                       column, text(column), least, most));
  }
  return *value;
}

std::int64_t PaperFields::count(std::string_view column) const {
  const auto value = whole_text<std::int64_t>(text(column));
  if (!value || *value < 1) {
    throw ConfigError(field(column).where, fmt::format("{} is '{}', must be a whole number from 1",
                                                       column, text(column)));
  }
  return *value;
}

}  // namespace stcsim
