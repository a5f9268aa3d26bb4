#include "reports/papers/trained_row.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/evidence/table_fields.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostEpochs = 1'000'000;
const std::vector<std::string> kTrainedColumns{"task", "scheme", "epoch", "seeds",
                                               "mean", "low",    "high"};

TrainedEpoch trained_epoch(const TableFields& fields) {
  TrainedEpoch epoch{size_in(fields.at("epoch"), "epoch"), size_in(fields.at("seeds"), "seeds"),
                     fields.number("mean", 0, 1), fields.number("low", 0, 1),
                     fields.number("high", 0, 1)};
  if (epoch.low <= epoch.mean && epoch.mean <= epoch.high) return epoch;
  throw ConfigError(fields.at("mean").where,
                    fmt::format("mean is {}, must be between low, {}, and high, {}", epoch.mean,
                                epoch.low, epoch.high));
}

/// Different texts of a column, of the rows that have `task` in theirs, if one is given.
std::set<std::string> texts_of(const CsvTable& table, std::string_view column,
                               const std::string& task = "") {
  std::set<std::string> texts;
  for (const CsvTable::Row& row : table.rows()) {
    const TableFields fields(table, row);
    if (task.empty() || fields.text("task") == task) texts.insert(fields.text(column));
  }
  return texts;
}

/// All epochs of a scheme, which `key` of the map names.
std::vector<TrainedEpoch> epochs_of(const CsvTable& table, const MapReader& map,
                                    std::string_view key, const std::string& task,
                                    const std::string& scheme) {
  std::vector<TrainedEpoch> epochs;
  for (const CsvTable::Row& row : table.rows()) {
    const TableFields fields(table, row);
    if (fields.text("task") != task || fields.text("scheme") != scheme) continue;
    epochs.push_back(trained_epoch(fields));
    if (epochs.back().epoch == std::ssize(epochs)) continue;
    throw ConfigError(fields.at("epoch").where,
                      fmt::format("epoch is {}, must be {}, the next of {}, {}",
                                  epochs.back().epoch, epochs.size(), task, scheme));
  }
  if (!epochs.empty()) return epochs;
  map.fail(key, fmt::format("'{}' is '{}', which trained.csv does not have of {}: it has {}", key,
                            scheme, task, fmt::join(texts_of(table, "scheme", task), ", ")));
}

void read_task(MapReader& map, const CsvTable& table, TrainedRow& row) {
  row.task = map.get_string("task");
  const std::set<std::string> tasks = texts_of(table, "task");
  if (tasks.contains(row.task)) return;
  map.fail("task", fmt::format("'task' is '{}', which trained.csv does not have: it has {}",
                               row.task, fmt::join(tasks, ", ")));
}

void read_epoch(MapReader& map, TrainedRow& row) {
  std::int64_t last = std::ssize(row.epochs);
  if (row.quantity == Quantity::accuracy_difference) {
    last = std::min(last, std::ssize(row.against_epochs));
  }
  row.epoch = map.get_int_or("epoch", last, {1, kMostEpochs});
  if (row.epoch > last) {
    map.fail("epoch", fmt::format("'epoch' is {}, trained.csv has 1 to {} of {}, {}", row.epoch,
                                  last, row.task, row.scheme));
  }
}

const TrainedEpoch& at_epoch(const std::vector<TrainedEpoch>& epochs, std::int64_t epoch) {
  return epochs[static_cast<std::size_t>(epoch - 1)];
}

/// The first epoch that has reached the target by `figure`; the last, if none has.
std::int64_t first_reaching(const TrainedRow& row, double TrainedEpoch::*figure) {
  const auto found = std::ranges::find_if(
      row.epochs, [&](const TrainedEpoch& epoch) { return epoch.*figure >= row.target; });
  return found == row.epochs.end() ? row.epochs.back().epoch : found->epoch;
}

double best_of(const TrainedRow& row, double TrainedEpoch::*figure) {
  return (*std::ranges::max_element(row.epochs, {}, figure)).*figure;
}

void read_target(MapReader& map, TrainedRow& row) {
  row.target = map.get_double("target", {.min = 0, .max = 100}) / 100;
  map.finish();
  const double best = best_of(row, &TrainedEpoch::mean);
  if (best >= row.target) return;
  map.fail("target", fmt::format("'target' is {:g}, the best epoch of {}, {} has {:.2f} %",
                                 100 * row.target, row.task, row.scheme, 100 * best));
}

std::string where_of(const TrainedRow& row, const std::string& what) {
  const std::int64_t seeds = row.epochs.front().seeds;
  return fmt::format("{}, {}, {} seed{}{}", row.task, row.scheme, seeds, seeds == 1 ? "" : "s",
                     what);
}

PaperAnswer accuracy_of(const TrainedRow& row) {
  const TrainedEpoch& epoch = at_epoch(row.epochs, row.epoch);
  return {"our training",   where_of(row, fmt::format(", epoch {}", row.epoch)),
          100 * epoch.mean, 100 * epoch.low,
          100 * epoch.high, ""};
}

/// How likely a normal deviation is that is so many times as large as its 95 % interval reaches.
double by_chance(double reaches) {
  constexpr double kReachOf95 = 1.959964;
  return std::erfc(reaches * kReachOf95 / std::numbers::sqrt2);
}

PaperAnswer difference_of(const TrainedRow& row) {
  const TrainedEpoch& one = at_epoch(row.epochs, row.epoch);
  const TrainedEpoch& other = at_epoch(row.against_epochs, row.epoch);
  const double difference = one.mean - other.mean;
  const double below = std::hypot(one.mean - one.low, other.high - other.mean);
  const double above = std::hypot(one.high - one.mean, other.mean - other.low);
  const bool is_apart = difference - below > 0 || difference + above < 0;
  const double reach = difference > 0 ? below : above;
  return {"our training",
          where_of(row, fmt::format(", against {}, epoch {}", row.against, row.epoch)),
          100 * difference,
          100 * (difference - below),
          100 * (difference + above),
          is_apart ? "" : "the interval holds 0: they cannot be told apart",
          reach > 0 ? std::optional(by_chance(std::abs(difference) / reach)) : std::nullopt};
}

PaperAnswer epochs_to(const TrainedRow& row) {
  const bool is_certain = best_of(row, &TrainedEpoch::low) >= row.target;
  return {"our training",
          where_of(row, fmt::format(", {:g} %", 100 * row.target)),
          static_cast<double>(first_reaching(row, &TrainedEpoch::mean)),
          static_cast<double>(first_reaching(row, &TrainedEpoch::high)),
          static_cast<double>(first_reaching(row, &TrainedEpoch::low)),
          is_certain ? "" : "the lower end of the interval does not reach it"};
}

}  // namespace

TrainedRow read_trained_row(MapReader& map) {
  const CsvTable table = read_paper_table("trained", kTrainedColumns);
  TrainedRow row;
  const auto usual = map.has("against") ? Quantity::accuracy_difference : Quantity::accuracy;
  row.quantity = map.has("quantity") ? read_quantity(map, {Scope::trained}) : usual;
  read_task(map, table, row);
  row.scheme = map.get_string("scheme");
  row.epochs = epochs_of(table, map, "scheme", row.task, row.scheme);
  if (map.has("against") && row.quantity != Quantity::accuracy_difference) {
    map.fail("against", "'against' is of the quantity difference");
  }
  if (row.quantity == Quantity::epochs_to) {
    read_target(map, row);
    return row;
  }
  if (row.quantity == Quantity::accuracy_difference) {
    row.against = map.get_string_or("against", "dense");
    row.against_epochs = epochs_of(table, map, "against", row.task, row.against);
  }
  read_epoch(map, row);
  map.finish();
  return row;
}

PaperAnswer answer_of(const TrainedRow& row) {
  if (row.quantity == Quantity::accuracy) return accuracy_of(row);
  return row.quantity == Quantity::epochs_to ? epochs_to(row) : difference_of(row);
}

}  // namespace stcsim
