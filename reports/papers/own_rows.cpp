#include "reports/papers/own_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/evidence/table_fields.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostEpochs = 1'000'000;
constexpr double kAnyFigure = std::numeric_limits<double>::max();
/// The product whose operand is pruned, in gradients.csv.
constexpr std::string_view kWgrad = "wgrad";

const std::vector<std::string> kTrainedColumns{"task", "scheme", "epoch", "seeds",
                                               "mean", "low",    "high"};
const std::vector<std::string> kGradientColumns{
    "task",     "layer", "phase",    "method", "pattern",  "seeds",
    "elements", "zeros", "retained", "bias",   "variance", "mean_square_error"};

/// Refuses the value of a key that the table has nothing of, and says what it has.
[[noreturn]] void refuse(const MapReader& map, std::string_view key, const std::string& value,
                         std::string_view table, const std::set<std::string>& known) {
  map.fail(key, fmt::format("'{}' is '{}', which {} does not have: it has {}", key, value, table,
                            fmt::join(known, ", ")));
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

std::string read_task(MapReader& map, const CsvTable& table, std::string_view name) {
  std::string task = map.get_string("task");
  const std::set<std::string> tasks = texts_of(table, "task");
  if (!tasks.contains(task)) refuse(map, "task", task, name, tasks);
  return task;
}

TrainedEpoch trained_epoch(const TableFields& fields) {
  TrainedEpoch epoch{size_in(fields.at("epoch"), "epoch"), size_in(fields.at("seeds"), "seeds"),
                     fields.number("mean", 0, 1), fields.number("low", 0, 1),
                     fields.number("high", 0, 1)};
  if (epoch.low <= epoch.mean && epoch.mean <= epoch.high) return epoch;
  throw ConfigError(fields.at("mean").where,
                    fmt::format("mean is {}, must be between low, {}, and high, {}", epoch.mean,
                                epoch.low, epoch.high));
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
  if (epochs.empty()) {
    refuse(map, key, scheme, "trained.csv of " + task, texts_of(table, "scheme", task));
  }
  return epochs;
}

std::string where_of(const TrainedRow& row, const std::string& what) {
  const std::int64_t seeds = row.trained.seeds;
  return fmt::format("{}, {}, {} seed{}{}, epoch {}", row.task, row.scheme, seeds,
                     seeds == 1 ? "" : "s", what, row.trained.epoch);
}

/// Probability of a normal deviation so many times as large as its 95 % interval reaches.
double by_chance(double reaches) {
  constexpr double kReachOf95 = 1.959964;
  return std::erfc(reaches * kReachOf95 / std::numbers::sqrt2);
}

PaperAnswer difference_of(const TrainedRow& row) {
  const TrainedEpoch& one = row.trained;
  const TrainedEpoch& other = row.other;
  const double difference = one.mean - other.mean;
  const double below = std::hypot(one.mean - one.low, other.high - other.mean);
  const double above = std::hypot(one.high - one.mean, other.mean - other.low);
  const bool is_apart = difference - below > 0 || difference + above < 0;
  const double reach = difference > 0 ? below : above;
  return {"our training",
          where_of(row, ", against " + row.against),
          100 * difference,
          100 * (difference - below),
          100 * (difference + above),
          is_apart ? "" : "the interval holds 0: they cannot be told apart",
          reach > 0 ? std::optional(by_chance(std::abs(difference) / reach)) : std::nullopt};
}

}  // namespace

TrainedRow read_trained_row(MapReader& map) {
  const CsvTable table = read_paper_table("trained", kTrainedColumns);
  TrainedRow row;
  const auto usual = map.has("against") ? Quantity::accuracy_difference : Quantity::accuracy;
  row.quantity = map.has("quantity") ? read_quantity(map, {Scope::trained}) : usual;
  if (map.has("against") && row.quantity != Quantity::accuracy_difference) {
    map.fail("against", "'against' is of the quantity difference");
  }
  row.task = read_task(map, table, "trained.csv");
  row.scheme = map.get_string("scheme");
  const std::vector<TrainedEpoch> epochs = epochs_of(table, map, "scheme", row.task, row.scheme);
  std::vector<TrainedEpoch> others = epochs;
  if (row.quantity == Quantity::accuracy_difference) {
    row.against = map.get_string_or("against", "dense");
    others = epochs_of(table, map, "against", row.task, row.against);
  }
  const std::int64_t last = std::min(std::ssize(epochs), std::ssize(others));
  const std::int64_t epoch = map.get_int_or("epoch", last, {1, kMostEpochs});
  if (epoch > last) {
    map.fail("epoch", fmt::format("'epoch' is {}, trained.csv has 1 to {} of {}, {}", epoch, last,
                                  row.task, row.scheme));
  }
  map.finish();
  row.trained = epochs[static_cast<std::size_t>(epoch - 1)];
  row.other = others[static_cast<std::size_t>(epoch - 1)];
  return row;
}

PaperAnswer answer_of(const TrainedRow& row) {
  if (row.quantity == Quantity::accuracy_difference) return difference_of(row);
  const TrainedEpoch& epoch = row.trained;
  return {"our training",  where_of(row, ""), 100 * epoch.mean,
          100 * epoch.low, 100 * epoch.high,  ""};
}

EstimateRow read_estimate_row(MapReader& map) {
  const CsvTable table = read_paper_table("gradients", kGradientColumns);
  EstimateRow row;
  row.quantity = read_quantity(map, {Scope::estimate});
  row.pattern = map.get_pattern("pattern");
  row.method = map.get_string("method");
  row.task = read_task(map, table, "gradients.csv");
  map.finish();
  std::set<std::string> methods;
  for (const CsvTable::Row& line : table.rows()) {
    const TableFields fields(table, line);
    const std::string& pattern = fields.text("pattern");
    methods.insert(fields.text("method") + " " + pattern);
    if (fields.text("task") == row.task && fields.text("phase") == kWgrad &&
        fields.text("method") == row.method && pattern == row.pattern.to_string()) {
      row.layers.push_back(fields.number(info_of(row.quantity).name, 0, kAnyFigure));
    }
  }
  if (row.layers.empty()) {
    refuse(map, "method", row.method + " " + row.pattern.to_string(), "gradients.csv", methods);
  }
  return row;
}

PaperAnswer answer_of(const EstimateRow& row) {
  const double scale = row.quantity == Quantity::estimate_retained ? 100 : 1;
  const double sum = std::accumulate(row.layers.begin(), row.layers.end(), 0.0);
  const auto [least, most] = std::ranges::minmax(row.layers);
  return {"computed",
          fmt::format("gradients of {}, {} layers, {}", row.task, row.layers.size(), kWgrad),
          scale * sum / static_cast<double>(row.layers.size()),
          scale * least,
          scale * most,
          "low and high are of the least and the most layer"};
}

}  // namespace stcsim
