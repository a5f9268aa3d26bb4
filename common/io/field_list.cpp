#include "common/io/field_list.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "common/io/table.hpp"

namespace stcsim {
namespace {

std::string range_of(const ListedField& listed) {
  const Field& field = listed.field;
  if (!listed.names.empty()) return fmt::format("{}", fmt::join(listed.names, ", "));
  if (field.most == 0 && field.most_real <= 0) return "";
  std::string range = field.least_real > 0             ? fmt::format("{}", field.least_real)
                      : field.is_above_least           ? fmt::format("above {}", field.least)
                      : field.most < field::kMostBytes ? fmt::format("{}", field.least)
                                                       : fmt::format("from {}", field.least);
  if (field.most_real > 0)
    range += fmt::format(" to {}", field.most_real);
  else if (field.most < field::kMostBytes)
    range += fmt::format(" to {}", field.most);
  if (field.may_be_unlimited) range += fmt::format(", `{}`", kUnlimited);
  return range;
}

std::string_view word_for(Effect effect) {
  switch (effect) {
    case Effect::faster:
      return "faster";
    case Effect::slower:
      return "slower";
    case Effect::either:
      return "either";
    case Effect::none:
      break;
  }
  return "";
}

using Row = std::vector<std::string>;

Row row_of(const ListedField& listed, std::string key, bool tells_effect) {
  Row row{std::move(key), std::string(listed.field.unit), listed.fallback, range_of(listed)};
  if (tells_effect) row.emplace_back(word_for(listed.field.effect));
  row.push_back(listed.meaning());
  return row;
}

/// The keys right below each map, as rows without its path: maps that have the same are alike.
std::map<std::string, std::vector<Row>> rows_by_parent(const std::vector<ListedField>& all) {
  std::map<std::string, std::vector<Row>> rows;
  for (const ListedField& listed : all) {
    rows[listed.parent].push_back(row_of(listed, std::string(listed.field.key), true));
  }
  return rows;
}

}  // namespace

std::string ListedField::path() const {
  return parent.empty() ? std::string(field.key) : fmt::format("{}.{}", parent, field.key);
}

std::string ListedField::meaning() const {
  std::string text = of.empty() ? std::string(field.help) : fmt::format("{}: {}", of, field.help);
  if (!field.reason.empty()) text += fmt::format(". Without effect on time: {}", field.reason);
  return text;
}

std::string fields_markdown(const std::vector<ListedField>& all) {
  const bool tells_effects = std::ranges::any_of(
      all, [](const ListedField& listed) { return listed.field.effect != Effect::none; });
  std::vector<Column> columns{{"key"}, {"unit"}, {"default"}, {"range"}, {"meaning"}};
  if (tells_effects) columns.insert(columns.end() - 1, {"more is"});
  Table table(columns);
  const std::map<std::string, std::vector<Row>> by_parent = rows_by_parent(all);
  std::map<std::vector<Row>, std::string> first;  // the map that stands for all that are alike
  for (const ListedField& listed : all) {
    const auto at = first.emplace(by_parent.at(listed.parent), listed.parent).first;
    if (at->second != listed.parent) continue;
    table.add_row(row_of(listed, fmt::format("`{}`", listed.path()), tells_effects));
  }
  return table.to_markdown();
}

}  // namespace stcsim
