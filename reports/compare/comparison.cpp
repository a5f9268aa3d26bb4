#include "reports/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// Digits of a double that do not depend on the processor.
constexpr double kSameTime = 1e-9;

double relative_change(double before, double now) {
  if (before == now) return 0;
  if (before == 0) return std::numeric_limits<double>::infinity();
  return now / before - 1;
}

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

Names names_of(const StudyTotal& total) {
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
    const auto other = std::ranges::find(now.totals, names_of(total), &names_of);
    ComparedStep step{total, std::nullopt, true};
    if (other != now.totals.end()) step = {total, *other, !is_within(total, *other, rtol)};
    steps.push_back(std::move(step));
  }
  for (const StudyTotal& total : now.totals) {
    const auto other = std::ranges::find(before.totals, names_of(total), &names_of);
    if (other == before.totals.end()) steps.push_back({std::nullopt, total, true});
  }
  return steps;
}

/// A figure on both sides.
struct Pair {
  const ResultRow* before = nullptr;
  const ResultRow* now = nullptr;

  [[nodiscard]] const ResultRow& any() const { return now != nullptr ? *now : *before; }
};

/// What pairs a row with another: its names, and which of those it is.
using RowKey = std::tuple<std::string, std::string, std::string, RowPhase, std::string, std::string,
                          std::size_t>;

class RowKeys {
 public:
  RowKey operator()(const ResultRow& row) {
    RowKey key{row.machine, row.network, row.layer, row.phase, row.scheme, row.op, 0};
    std::get<6>(key) = seen_[key]++;
    return key;
  }

 private:
  std::map<RowKey, std::size_t> seen_;
};

/// In the order of `before`, new ones last.
std::vector<Pair> pairs_of(const StudyResult& before, const StudyResult& now) {
  std::map<RowKey, std::size_t> places;
  std::vector<Pair> pairs;
  RowKeys key_before;
  RowKeys key_now;
  for (const ResultRow& row : before.rows) {
    places[key_before(row)] = pairs.size();
    pairs.push_back({&row, nullptr});
  }
  for (const ResultRow& row : now.rows) {
    const auto place = places.find(key_now(row));
    if (place == places.end()) pairs.push_back({nullptr, &row});
    if (place != places.end()) pairs[place->second].now = &row;
  }
  return pairs;
}

bool has_moved(const Pair& pair, double rtol) {
  if (pair.before == nullptr || pair.now == nullptr) return true;
  const std::int64_t before = pair.before->cycles;
  const std::int64_t change = pair.now->cycles - before;
  if (change == 0) return false;
  return before == 0 ||
         std::abs(static_cast<double>(change)) > rtol * std::abs(static_cast<double>(before));
}

/// MHz by the names of what runs; where no total says it, cycles stand for microseconds.
class Clocks {
 public:
  explicit Clocks(const StudyResult& study) {
    for (const StudyTotal& total : study.totals) clocks_[names_of(total)] = total.clock_mhz;
  }
  [[nodiscard]] double time_us(const ResultRow* row) const {
    if (row == nullptr) return 0;
    const auto clock = clocks_.find({row->machine, row->network, row->pass(), row->scheme});
    const bool is_known = clock != clocks_.end() && clock->second > 0;
    return static_cast<double>(row->cycles) / (is_known ? clock->second : 1);
  }

 private:
  std::map<Names, double> clocks_;
};

/// What rows have in common that are one line.
auto figures_of(const ResultRow* row) {
  static const ResultRow kNone;
  const ResultRow& one = row == nullptr ? kNone : *row;
  return std::tuple(row == nullptr ? -1 : one.cycles, one.kernel.name, one.bound_by, one.m, one.n,
                    one.k, one.batch_count, one.gemm_count);
}

/// Moved pairs of a layer whose schemes do not tell them apart, and what they add to a step.
std::vector<ComparedRow> fold_schemes(const std::vector<Pair>& moved, const Clocks& before,
                                      const Clocks& now) {
  std::vector<ComparedRow> rows;
  const auto subject = [](const Pair& pair) {
    const ResultRow& row = pair.any();
    return std::tuple(row.machine, row.network, row.layer, row.phase, row.op, row.per_step(),
                      figures_of(pair.before), figures_of(pair.now));
  };
  std::map<decltype(subject(moved.front())), std::size_t> places;
  for (const Pair& pair : moved) {
    const auto [place, is_new] = places.try_emplace(subject(pair), rows.size());
    const ResultRow& row = pair.any();
    if (is_new) {
      ComparedRow one;
      if (pair.before != nullptr) one.before = *pair.before;
      if (pair.now != nullptr) one.now = *pair.now;
      one.layers = {row.layer};
      one.per_step = row.per_step();
      one.change_us = (now.time_us(pair.now) - before.time_us(pair.before)) * one.per_step;
      rows.push_back(std::move(one));
    }
    std::vector<std::string>& schemes = rows[place->second].schemes;
    if (std::ranges::find(schemes, row.scheme) == schemes.end()) schemes.push_back(row.scheme);
  }
  return rows;
}

std::vector<ComparedRow> fold_layers(const std::vector<ComparedRow>& rows) {
  const auto subject = [](const ComparedRow& one) {
    const ResultRow& row = one.any();
    return std::tuple(row.machine, row.network, row.phase, row.op, one.schemes,
                      figures_of(one.before ? &*one.before : nullptr),
                      figures_of(one.now ? &*one.now : nullptr));
  };
  std::vector<ComparedRow> folded;
  std::map<decltype(subject(rows.front())), std::size_t> places;
  for (const ComparedRow& row : rows) {
    const auto [place, is_new] = places.try_emplace(subject(row), folded.size());
    if (is_new) {
      folded.push_back(row);
      continue;
    }
    ComparedRow& same = folded[place->second];
    const std::string& layer = row.layers.front();
    if (same.layers.back() != layer) same.layers.push_back(layer);
    same.per_step += row.per_step;
    same.change_us += row.change_us;
  }
  return folded;
}

/// Empties the list where a line holds for all schemes of its place.
void shorten_schemes(std::vector<ComparedRow>& rows, const std::vector<Pair>& pairs) {
  std::map<std::tuple<std::string, std::string, StudyPass>, std::set<std::string>> all;
  const auto place_of_row = [](const ResultRow& row) {
    return std::tuple(row.machine, row.network, row.pass());
  };
  for (const Pair& pair : pairs) all[place_of_row(pair.any())].insert(pair.any().scheme);
  for (ComparedRow& row : rows) {
    const std::size_t count = all.at(place_of_row(row.any())).size();
    if (count > 1 && row.schemes.size() == count) row.schemes.clear();
  }
}

void compare_rows(Comparison& comparison) {
  const StudyResult& before = comparison.before.study;
  const StudyResult& now = comparison.now.study;
  const std::vector<Pair> pairs = pairs_of(before, now);
  std::vector<Pair> moved;
  std::ranges::copy_if(pairs, std::back_inserter(moved),
                       [&](const Pair& pair) { return has_moved(pair, comparison.rtol); });
  comparison.figures = pairs.size();
  comparison.same = pairs.size() - moved.size();
  comparison.rows = fold_layers(fold_schemes(moved, Clocks(before), Clocks(now)));
  shorten_schemes(comparison.rows, pairs);
  double all = 0;
  for (const ComparedRow& row : comparison.rows) all += std::abs(row.change_us);
  for (ComparedRow& row : comparison.rows) row.share = all > 0 ? std::abs(row.change_us) / all : 0;
  std::ranges::stable_sort(comparison.rows, std::greater(), &ComparedRow::share);
}

}  // namespace

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
  comparison.steps = compare_steps(comparison.before.study, comparison.now.study, rtol);
  compare_rows(comparison);
  return comparison;
}

}  // namespace stcsim
