#include "reports/papers/estimate_row.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "curves/statistics.hpp"
#include "pruning/prune.hpp"
#include "pruning/prune_summary.hpp"
#include "pruning/random_stream.hpp"
#include "reports/papers/paper_methods.hpp"
#include "reports/papers/paper_table.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<std::string_view, EstimateQuantity>, 4> kEstimateQuantities{{
    {"bias", EstimateQuantity::bias},
    {"variance", EstimateQuantity::variance},
    {"mean_square_error", EstimateQuantity::mean_square_error},
    {"retained", EstimateQuantity::retained},
}};

constexpr std::array<std::pair<std::string_view, EstimateInput>, 4> kEstimateInputs{{
    {"normal", EstimateInput::normal},
    {"uniform", EstimateInput::uniform},
    {"constant", EstimateInput::constant},
    {"gradients", EstimateInput::gradients},
}};

/// Products whose operand is pruned, as the column `phase` of gradients.csv has them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kProducts{
    {{"wgrad", "wgrad"}, {"dgrad", "dgrad"}}};

constexpr std::int64_t kMostDraws = 10'000;
constexpr double kAnyFigure = std::numeric_limits<double>::max();

const std::vector<std::string> kGradientColumns{
    "task",     "layer", "phase",    "method", "pattern",  "seeds",
    "elements", "zeros", "retained", "bias",   "variance", "mean_square_error"};

template <class Value, std::size_t kCount>
std::string_view name_in(const std::array<std::pair<std::string_view, Value>, kCount>& table,
                         Value value) {
  return std::ranges::find(table, value, &std::pair<std::string_view, Value>::second)->first;
}

bool is_estimator(const pruning::Scheme& scheme) {
  return scheme.kind == pruning::Kind::groups && !scheme.heeds(pruning::Setting::samples);
}

/// Whether a line of gradients.csv is what the row asks for; `layer` "" is any.
bool is_asked_for(const PaperFields& line, const EstimateRow& row) {
  return line.text("task") == row.task && line.text("phase") == row.phase &&
         line.text("method") == row.method && line.text("pattern") == row.pattern.to_string() &&
         (row.layer.empty() || line.text("layer") == row.layer);
}

/// Says which of the keys gradients.csv has nothing of, and what it has.
[[noreturn]] void refuse_gradients(const MapReader& map, const CsvTable& table,
                                   const EstimateRow& row) {
  std::set<std::string> tasks;
  std::set<std::string> layers;
  std::set<std::string> methods;
  for (const CsvTable::Row& line : table.rows()) {
    const PaperFields fields(table, line);
    tasks.insert(fields.text("task"));
    if (fields.text("task") == row.task) layers.insert(fields.text("layer"));
    methods.insert(fields.text("method") + " " + fields.text("pattern"));
  }
  constexpr std::string_view kMessage =
      "'{}' is '{}', which gradients.csv does not have: it has {}";
  if (!tasks.contains(row.task)) {
    map.fail("task", fmt::format(kMessage, "task", row.task, fmt::join(tasks, ", ")));
  }
  if (!row.layer.empty() && !layers.contains(row.layer)) {
    map.fail("layer", fmt::format(kMessage, "layer", row.layer, fmt::join(layers, ", ")));
  }
  map.fail("method", fmt::format(kMessage, "method", row.method + " " + row.pattern.to_string(),
                                 fmt::join(methods, ", ")));
}

void read_gradients(MapReader& map, EstimateRow& row) {
  row.task = map.get_string("task");
  row.layer = map.get_string_or("layer", "");
  row.phase = map.get_enum_or("phase", std::string_view("wgrad"), kProducts);
  map.finish();
  const CsvTable table = read_paper_table("gradients", kGradientColumns);
  const std::string_view column = name_in(kEstimateQuantities, row.quantity);
  for (const CsvTable::Row& line : table.rows()) {
    const PaperFields fields(table, line);
    if (is_asked_for(fields, row)) row.gradients.push_back(fields.number(column, 0, kAnyFigure));
  }
  if (row.gradients.empty()) refuse_gradients(map, table, row);
}

void read_generated(MapReader& map, EstimateRow& row) {
  row.size = map.get_int_or("size", std::max<std::int64_t>(256, row.pattern.m), {1, kMostRowSize});
  row.seed = map.get_int_or("seed", 1, {0, kMostRowSeed});
  row.seeds = map.get_int_or("seeds", 3, {1, kMostRowSeeds});
  row.draws = map.get_int_or("draws", 32, {2, kMostDraws});
  map.finish();
  if (row.quantity == EstimateQuantity::retained) {
    map.fail("quantity", "'retained' is of gradients here; of generated numbers, 'mask' has it");
  }
}

double square_sum(const pruning::Tensor& tensor) {
  double sum = 0;
  for (const double value : tensor.values) sum += value * value;
  return sum;
}

/// The quantity of one tensor, from several estimates. That their mean differs from x by chance, by
/// the variance over their number, is taken off its bias; what is then below 0 is none.
double estimated(const EstimateRow& row, std::int64_t seed) {
  pruning::PruneOptions options;
  options.pattern = row.pattern;
  options.axis = 1;
  options.seed = static_cast<std::uint64_t>(seed);
  const pruning::Tensor tensor = pruning::generated_input(
      fmt::format("{}:{}x{}", name_in(kEstimateInputs, row.input), row.size, row.size),
      options.seed);
  pruning::DrawStatistics statistics(tensor);
  for (std::int64_t draw = 0; draw < row.draws; ++draw) {
    options.draw = static_cast<std::uint32_t>(draw);
    statistics.add(pruning::prune(tensor, row.method, options).values);
  }
  const pruning::EstimatorQuality quality = statistics.quality();
  const double by_chance = quality.unbiased_rms * quality.unbiased_rms;
  const double off = quality.bias_rms * quality.bias_rms;
  const double mean_square = square_sum(tensor) / static_cast<double>(tensor.values.size());
  const double bias = std::max(0.0, off - by_chance) / mean_square;
  if (row.quantity == EstimateQuantity::bias) return bias;
  if (row.quantity == EstimateQuantity::variance) return *quality.relative_variance;
  return bias + *quality.relative_variance;
}

PaperAnswer of_generated(const EstimateRow& row) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < row.seeds; ++i) values.push_back(estimated(row, row.seed + i));
  const curves::Spread spread = curves::spread_of(values, static_cast<std::uint64_t>(row.seed));
  const auto interval = spread.interval.value_or(curves::Interval{spread.mean, spread.mean});
  return {
      "computed",
      fmt::format("{0} {1}x{1}, {2} seed{3}, {4} estimates", name_in(kEstimateInputs, row.input),
                  row.size, row.seeds, row.seeds == 1 ? "" : "s", row.draws),
      spread.mean,
      interval.low,
      interval.high,
      ""};
}

PaperAnswer of_gradients(const EstimateRow& row) {
  const double scale = row.quantity == EstimateQuantity::retained ? 100 : 1;
  const double sum = std::accumulate(row.gradients.begin(), row.gradients.end(), 0.0);
  const auto [least, most] = std::ranges::minmax(row.gradients);
  const std::string layers =
      row.layer.empty() ? fmt::format("{} layers", row.gradients.size()) : "layer " + row.layer;
  return {"computed",
          fmt::format("gradients of {}, {}, {}", row.task, layers, row.phase),
          scale * sum / static_cast<double>(row.gradients.size()),
          scale * least,
          scale * most,
          row.gradients.size() == 1 ? "" : "low and high are of the least and the most layer"};
}

}  // namespace

EstimateRow read_estimate_row(MapReader& map) {
  EstimateRow row;
  row.quantity = map.get_enum("quantity", kEstimateQuantities);
  row.input = map.get_enum_or("on", EstimateInput::normal, kEstimateInputs);
  row.pattern = read_sparse_pattern(map);
  row.method = read_pruning_method(map, row.pattern, &is_estimator);
  if (row.input == EstimateInput::gradients) {
    read_gradients(map, row);
  } else {
    read_generated(map, row);
  }
  return row;
}

PaperQuantity quantity_of(const EstimateRow& row) {
  switch (row.quantity) {
    case EstimateQuantity::bias:
      return {"bias (part of the squared norm)", PaperUnit::value, {}};
    case EstimateQuantity::variance:
      return {"variance (part of the squared norm)", PaperUnit::value, {}};
    case EstimateQuantity::mean_square_error:
      return {"mean square error (part of the squared norm)", PaperUnit::value, {}};
    case EstimateQuantity::retained:
      break;
  }
  return {"magnitude kept", PaperUnit::percent, {}};
}

PaperAnswer answer_of(const EstimateRow& row) {
  return row.input == EstimateInput::gradients ? of_gradients(row) : of_generated(row);
}

}  // namespace stcsim
