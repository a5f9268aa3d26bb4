#include "reports/compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestValue = 60;
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kListsOfNamed{
    {{"machines", "machine"}, {"networks", "network"}, {"schemes", "scheme"}}};

std::string shown_value(const Json* value) {
  if (value == nullptr) return "-";
  return excerpt(value->is_string() ? value->get<std::string>() : value->dump(), kLongestValue);
}

std::string label_of(const Json& item, std::size_t index) {
  const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
  return named ? item["name"].get<std::string>() : std::to_string(index);
}

using Entries = std::vector<std::pair<std::string, const Json*>>;

/// Entries by name, or by index where they have none.
Entries entries_of(const Json& value) {
  Entries entries;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) entries.emplace_back(key, &item);
  } else {
    for (const Json& item : value) entries.emplace_back(label_of(item, entries.size()), &item);
  }
  return entries;
}

const Json* find_in(const Entries& entries, const std::string& key) {
  const auto found = std::ranges::find(entries, key, &Entries::value_type::first);
  return found == entries.end() ? nullptr : found->second;
}

/// Of a list with one entry before and now, whatever their names, entries are the same one.
bool is_same_one(const Json& before, const Json& now) {
  return before.is_array() && before.size() == 1 && now.size() == 1;
}

/// Numbers and texts only: their lists are shown as a whole.
bool is_plain_list(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_object(); });
}

/// "machines" and "a100" are "machine a100", which "clock_mhz" follows behind a colon.
std::string joined(const std::string& path, const std::string& key) {
  if (path.empty()) return key;
  for (const auto& [list, noun] : kListsOfNamed) {
    if (path == list) return fmt::format("{} {}:", noun, key);
  }
  return path + (path.ends_with(':') ? " " : ".") + key;
}

/// "machine a100:" is "machine a100" where the whole of it is new or gone.
std::string shown_key(std::string path) {
  if (path.ends_with(':')) path.pop_back();
  return path;
}

void collect(const std::string& path, const Json* before, const Json* now,
             std::vector<ConfigChange>& changes) {
  if (before != nullptr && now != nullptr && *before == *now) return;
  const bool comparable = before != nullptr && now != nullptr && before->type() == now->type() &&
                          before->is_structured() && !is_plain_list(*before) &&
                          !is_plain_list(*now);
  if (!comparable) {
    changes.push_back({shown_key(path), shown_value(before), shown_value(now)});
    return;
  }
  Entries old_entries = entries_of(*before);
  const Entries new_entries = entries_of(*now);
  if (is_same_one(*before, *now)) old_entries.front().first = new_entries.front().first;
  for (const auto& [key, value] : old_entries) {
    collect(joined(path, key), value, find_in(new_entries, key), changes);
  }
  for (const auto& [key, value] : new_entries) {
    if (find_in(old_entries, key) == nullptr) collect(joined(path, key), nullptr, value, changes);
  }
}

/// Digits of a double that do not depend on the processor.
constexpr double kSameTime = 1e-9;

/// The one value that all items have; nothing where they have several, or there are none.
template <class Item>
std::optional<std::string> only_name(const std::vector<Item>& items, std::string Item::*name) {
  if (items.empty()) return std::nullopt;
  const auto is_other = [&](const Item& item) { return item.*name != items.front().*name; };
  if (std::ranges::any_of(items, is_other)) return std::nullopt;
  return items.front().*name;
}

/// Gives both sides the name "a -> b" where each has one of its own.
void pair_names(StudyResult& before, StudyResult& now, std::string StudyTotal::*of_total,
                std::string RowSubject::*of_row) {
  const auto old_name = only_name(before.totals, of_total);
  const auto new_name = only_name(now.totals, of_total);
  if (!old_name || !new_name || *old_name == *new_name) return;
  for (StudyResult* const side : {&before, &now}) {
    const std::string both = *old_name + " -> " + *new_name;
    for (StudyTotal& total : side->totals) total.*of_total = both;
    for (ResultRow& row : side->rows) row.*of_row = both;
  }
}

using Names = std::tuple<std::string, std::string, StudyPass, std::string>;

Names total_names_of(const StudyTotal& total) {
  return {total.machine, total.network, total.pass, total.scheme};
}

bool is_within(const StudyTotal& before, const StudyTotal& now, double rtol) {
  const double most = std::max(rtol, kSameTime);
  const auto near = [&](double one, double other) {
    return std::abs(relative_change(one, other)) <= most;
  };
  return near(before.step.time_us, now.step.time_us) &&
         near(before.step.dense_time_us, now.step.dense_time_us) &&
         near(before.training.speedup, now.training.speedup);
}

std::vector<ComparedStep> compare_steps(const StudyResult& before, const StudyResult& now,
                                        double rtol) {
  std::vector<ComparedStep> steps;
  for (const StudyTotal& total : before.totals) {
    const auto other = std::ranges::find(now.totals, total_names_of(total), &total_names_of);
    ComparedStep step{total, std::nullopt, true};
    if (other != now.totals.end()) step = {total, *other, !is_within(total, *other, rtol)};
    steps.push_back(std::move(step));
  }
  for (const StudyTotal& total : now.totals) {
    const auto other = std::ranges::find(before.totals, total_names_of(total), &total_names_of);
    if (other == before.totals.end()) steps.push_back({std::nullopt, total, true});
  }
  return steps;
}

/// What pairs a row with another: its names, and which of those it is.
using RowKey = std::tuple<std::string, std::string, std::string, RowPhase, std::string, std::string,
                          std::size_t>;

RowKey key_of(const ResultRow& row, std::map<RowKey, std::size_t>& seen) {
  RowKey key{row.machine, row.network, row.layer, row.phase, row.scheme, row.op, 0};
  std::get<6>(key) = seen[key]++;
  return key;
}

/// All figures of both, in the order of `before`, new ones last.
std::vector<ComparedRow> paired_rows(const StudyResult& before, const StudyResult& now) {
  std::map<RowKey, std::size_t> seen;
  std::map<RowKey, std::size_t> places;
  std::vector<ComparedRow> rows;
  for (const ResultRow& row : before.rows) {
    places[key_of(row, seen)] = rows.size();
    rows.push_back({row, std::nullopt});
  }
  seen.clear();
  for (const ResultRow& row : now.rows) {
    const auto place = places.find(key_of(row, seen));
    if (place == places.end()) rows.push_back({std::nullopt, row});
    if (place != places.end()) rows[place->second].now = row;
  }
  for (ComparedRow& row : rows) {
    row.layers = {row.any().layer};
    row.schemes = {row.any().scheme};
    row.per_step = row.any().per_step();
    row.change_us =
        row.per_step * ((row.now ? row.now->time_us : 0) - (row.before ? row.before->time_us : 0));
  }
  return rows;
}

bool has_moved(const ComparedRow& row, double rtol) {
  if (!row.before || !row.now) return true;
  const std::int64_t change = row.now->cycles - row.before->cycles;
  const auto before = static_cast<double>(row.before->cycles);
  return change != 0 && (before == 0 || std::abs(static_cast<double>(change)) > rtol * before);
}

/// Rows whose `subject` is the same as one: `merge` takes another into the first.
template <class Subject, class Merge>
std::vector<ComparedRow> fold(std::vector<ComparedRow> rows, Subject subject, Merge merge) {
  std::vector<ComparedRow> folded;
  std::map<decltype(subject(rows.front())), std::size_t> places;
  for (ComparedRow& row : rows) {
    const auto [place, is_new] = places.try_emplace(subject(row), folded.size());
    if (!is_new) {
      merge(folded[place->second], row);
      continue;
    }
    folded.push_back(std::move(row));
  }
  return folded;
}

/// What rows have in common that are one line.
auto figures_of(const ComparedRow& row) {
  const auto of_side = [](const std::optional<ResultRow>& side) {
    const ResultRow one = side.value_or(ResultRow());
    return std::tuple(side ? one.cycles : -1, one.kernel.name, one.bound_by, one.m, one.n, one.k,
                      one.batch_count, one.gemm_count);
  };
  const ResultRow& any = row.any();
  return std::tuple(any.machine, any.network, any.phase, any.op, of_side(row.before),
                    of_side(row.now));
}

auto place_of_row(const ComparedRow& row) {
  return std::tuple(row.any().machine, row.any().network, row.any().pass());
}

/// First schemes that do not tell a layer's figures apart, then layers of equal shape; the list of
/// schemes is emptied where it has all of its place.
std::vector<ComparedRow> folded_rows(std::vector<ComparedRow> moved,
                                     const std::vector<ComparedRow>& all) {
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  const auto of_layer = [](const ComparedRow& row) {
    return std::pair(figures_of(row), std::pair(row.layers, row.per_step));
  };
  moved = fold(std::move(moved), of_layer, [&](ComparedRow& one, const ComparedRow& other) {
    add(one.schemes, other.schemes.front());
  });
  const auto of_shape = [](const ComparedRow& row) {
    return std::pair(figures_of(row), row.schemes);
  };
  moved = fold(std::move(moved), of_shape, [&](ComparedRow& one, const ComparedRow& other) {
    add(one.layers, other.layers.front());
    one.per_step += other.per_step;
    one.change_us += other.change_us;
  });
  std::map<decltype(place_of_row(all.front())), std::set<std::string>> schemes;
  for (const ComparedRow& row : all) schemes[place_of_row(row)].insert(row.any().scheme);
  for (ComparedRow& row : moved) {
    const std::size_t count = schemes.at(place_of_row(row)).size();
    if (count > 1 && row.schemes.size() == count) row.schemes.clear();
  }
  return moved;
}

void compare_rows(Comparison& comparison) {
  const std::vector<ComparedRow> all = paired_rows(comparison.before.study, comparison.now.study);
  std::vector<ComparedRow> moved;
  std::ranges::copy_if(all, std::back_inserter(moved),
                       [&](const ComparedRow& row) { return has_moved(row, comparison.rtol); });
  comparison.figures = all.size();
  comparison.same = all.size() - moved.size();
  comparison.rows = folded_rows(std::move(moved), all);
  const auto size = [](const ComparedRow& row) { return std::abs(row.change_us); };
  std::ranges::stable_sort(comparison.rows, std::greater(), size);
  // In this order, so that the sum is the same whatever the files' order.
  double sum = 0;
  for (const ComparedRow& row : comparison.rows) sum += size(row);
  for (ComparedRow& row : comparison.rows) row.share = sum > 0 ? size(row) / sum : 0;
}

/// An instruction's measured interval that does not hold beside another value any more, or holds
/// again; by itself it has no effect.
bool is_consequence(const ConfigChange& change) {
  return change.key.find(".tensor_core.instructions.") != std::string::npos &&
         change.key.ends_with(".interval_cycles") && (change.now == "0" || change.before == "0");
}

}  // namespace

std::vector<ConfigChange> config_changes(const std::string& before, const std::string& now) {
  const Json old_config = parse_json(before, "the configuration");
  const Json new_config = parse_json(now, "the configuration");
  std::vector<ConfigChange> changes;
  collect("", &old_config, &new_config, changes);
  return changes;
}

double relative_change(double before, double now) {
  return before == now ? 0 : now / before - 1;
}

double ComparedStep::relative() const {
  if (!before || !now) return std::numeric_limits<double>::infinity();
  return relative_change(before->step.time_us, now->step.time_us);
}

bool Comparison::is_equal() const {
  return rows.empty() && std::ranges::none_of(steps, &ComparedStep::moved);
}

Comparison compare_results(ComparedResult before, ComparedResult now, double rtol) {
  if (!std::isfinite(rtol) || rtol < 0.0) {
    throw ConfigError(fmt::format("rtol is {}, must be a finite number from 0", rtol));
  }
  pair_names(before.study, now.study, &StudyTotal::machine, &RowSubject::machine);
  pair_names(before.study, now.study, &StudyTotal::network, &RowSubject::network);
  pair_names(before.study, now.study, &StudyTotal::scheme, &RowSubject::scheme);
  Comparison comparison;
  comparison.before = std::move(before);
  comparison.now = std::move(now);
  comparison.rtol = rtol;
  comparison.config =
      config_changes(comparison.before.study.resolved_config, comparison.now.study.resolved_config);
  if (!std::ranges::all_of(comparison.config, &is_consequence)) {
    std::erase_if(comparison.config, &is_consequence);
  }
  comparison.steps = compare_steps(comparison.before.study, comparison.now.study, rtol);
  compare_rows(comparison);
  return comparison;
}

}  // namespace stcsim
