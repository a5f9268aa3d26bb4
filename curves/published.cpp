#include "curves/published.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"
#include "curves/analysis.hpp"
#include "curves/time_to_accuracy.hpp"

namespace stcsim::curves {
namespace {

/// Visitor of a row's fields that names its columns.
struct ColumnNames {
  std::vector<std::string> names;

  void field(const Field& field, const auto& /*value*/) { names.emplace_back(field.key); }
};

/// Visitor of a row's fields that reads them from its cells.
class RowReader {
 public:
  RowReader(const CsvTable& table, const CsvTable::Row& row) : table_(table), row_(row) {}

  void field(const Field& field, std::string& value) const {
    value = cell(field).text;
    if (!field.is_required || !value.empty()) return;
    throw ConfigError(cell(field).where, fmt::format("'{}' is blank, must be there", field.key));
  }
  void field(const Field& field, std::optional<double>& value) const {
    if (cell(field).text.empty()) return;
    value = to_number(cell(field).text);
    if (!value) refuse(field, "a number or blank");
  }
  void field(const Field& field, double& value) const {
    std::optional<double> number;
    this->field(field, number);
    if (!number || *number <= 0) refuse(field, "a number above 0");
    value = *number;
  }
  void field(const Field& field, Axis& value) const {
    const std::optional<Axis> axis = axis_from_name(cell(field).text);
    if (!axis) refuse(field, "epochs, steps, samples, hours or seconds");
    value = *axis;
  }

 private:
  [[nodiscard]] const CsvField& cell(const Field& field) const {
    return row_[table_.column(field.key)];
  }
  [[noreturn]] void refuse(const Field& field, const char* right) const {
    throw ConfigError(cell(field).where,
                      fmt::format("'{}' is '{}', must be {}", field.key, cell(field).text, right));
  }

  const CsvTable& table_;
  const CsvTable::Row& row_;
};

template <class Published>
std::vector<Published> read_rows(const std::filesystem::path& path) {
  const CsvTable table = CsvTable::read(path);
  Published empty;
  ColumnNames columns;
  Published::visit_fields(empty, columns);
  table.check_columns(columns.names, {});
  std::vector<Published> rows;
  for (const CsvTable::Row& row : table.rows()) {
    const RowReader reader(table, row);
    Published::visit_fields(rows.emplace_back(), reader);
    rows.back().where = row.front().where;
  }
  return rows;
}

}  // namespace

std::vector<PublishedFinal> read_published_finals(const std::filesystem::path& path) {
  std::vector<PublishedFinal> finals = read_rows<PublishedFinal>(path);
  for (const PublishedFinal& row : finals) {
    if (row.dense || row.sparse) continue;
    throw ConfigError(row.where, "'dense' and 'sparse' are both blank, must have one at least");
  }
  return finals;
}

std::vector<PublishedCrossing> read_published_crossings(const std::filesystem::path& path) {
  return read_rows<PublishedCrossing>(path);
}

std::vector<PublishedSeeds> read_published_seeds(const std::filesystem::path& path) {
  return read_rows<PublishedSeeds>(path);
}

std::vector<TrainedMean> read_trained_means(const std::filesystem::path& path) {
  return read_rows<TrainedMean>(path);
}

std::optional<TrainedMean> trained_end(const std::vector<TrainedMean>& rows,
                                       const std::string& task, const std::string& scheme) {
  std::optional<TrainedMean> end;
  for (const TrainedMean& row : rows) {
    if (row.task == task && row.scheme == scheme) end = row;
  }
  return end;
}

std::optional<LossAtEnd> trained_loss(const std::vector<TrainedMean>& rows, const std::string& task,
                                      const std::string& scheme) {
  const auto dense = trained_end(rows, task, "dense");
  const auto own = trained_end(rows, task, scheme);
  if (!dense || !own || own->epoch != dense->epoch) return std::nullopt;
  const double loss = (dense->mean - own->mean) * (sounds_lower_is_better(own->metric) ? -1 : 1);
  const double error = std::hypot(dense->high - dense->low, own->high - own->low) / 2;
  return LossAtEnd{loss, {loss - error, loss + error}};
}

namespace {

constexpr double kPointsInOne = 100;
/// Both sides of a normal distribution's 95 %, of the difference of two.
constexpr double kTwoRuns95 = 1.959964 * std::numbers::sqrt2;

/// Metrics that may be compared, and half of the last digit that they are published with.
struct MetricKind {
  std::string_view name;
  double rounding = 0;
};

MetricKind kind_of(std::string_view metric) {
  if (metric.starts_with("top-1") || metric.starts_with("accuracy") || is_share(metric)) {
    return {"accuracy", 0.05};
  }
  if (metric.starts_with("perplexity")) return {"perplexity", 0.005};
  if (metric.find("loss") != std::string_view::npos) return {"loss", 0.0005};
  if (metric.ends_with("F1")) return {"F1", 0.05};
  return {metric, 0};
}

/// A target of just what is left of dense's end is reached, however the two were rounded.
std::optional<double> crossing_of(const Curve& dense, const Target& target, double loss) {
  constexpr double kSlack = 1e-9;
  const double slack = target.lower_is_better ? 1 + kSlack : 1 - kSlack;
  return smoothed_crossing(lowered(dense, loss, target.lower_is_better),
                           {target.value * slack, target.lower_is_better}, 1);
}

}  // namespace

Curve ends_by_length(const std::string& metric, double end, double epochs) {
  constexpr int kPoints = 65;
  Curve curve{metric, Axis::epochs, {}};
  for (int at = 0; at < kPoints; ++at) {
    const double part = std::pow(kShortestLength, 1 - static_cast<double>(at) / (kPoints - 1));
    curve.points.push_back({epochs * part, end * std::pow(part, -kLengthExponent)});
  }
  return curve;
}

Curve lowered(const Curve& dense, double loss, bool lower_is_better) {
  const double end = dense.points.back().value;
  if (!lower_is_better && !(end > 0))
    throw std::invalid_argument("a curve that ends at 0 or below");
  Curve curve = dense;
  for (Point& point : curve.points) {
    point.value += lower_is_better ? loss : -loss * point.value / end;
  }
  return curve;
}

PredictedCrossing predict_crossing(const Curve& dense, const Target& target, const LossAtEnd& loss,
                                   double form_error) {
  const double end = dense.points.back().value;
  const double worse = target.lower_is_better ? 1 : -1;
  const double ends[] = {end + worse * loss.between.low, end + worse * loss.between.high};
  PredictedCrossing found{crossing_of(dense, target, loss.value),
                          crossing_of(dense, target, loss.between.low),
                          crossing_of(dense, target, loss.between.high),
                          end + worse * loss.value,
                          {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])}};
  const double x = found.x.value_or(dense.points.back().x);
  const Interval by_form{x * std::exp(-form_error), x * std::exp(form_error)};
  if (found.low) found.low = combined(x, Interval{*found.low, x}, by_form)->low;
  // Who ends at the target or beyond has reached it by the end.
  if (found.high) {
    found.high =
        std::min(combined(x, Interval{x, *found.high}, by_form)->high, dense.points.back().x);
  }
  return found;
}

double difference_of_equal_runs(const std::vector<PublishedSeeds>& rows, const std::string& network,
                                std::string_view metric) {
  std::vector<double> own;
  std::vector<double> all;
  for (const PublishedSeeds& row : rows) {
    if (kind_of(row.metric).name != kind_of(metric).name) continue;
    all.push_back(row.standard_deviation);
    if (!network.empty() && row.network_config == network) own.push_back(row.standard_deviation);
  }
  std::vector<double>& known = own.empty() ? all : own;
  if (known.empty()) return 0;
  std::ranges::sort(known);
  return kTwoRuns95 * (known[(known.size() - 1) / 2] + known[known.size() / 2]) / 2;
}

bool says_loss(const PublishedFinal& row, std::string_view metric) {
  const std::string_view of_row = kind_of(row.metric).name;
  const std::string_view of_curve = kind_of(metric).name;
  return row.dense && row.sparse &&
         (of_row == of_curve || (of_row == "perplexity" && of_curve == "loss"));
}

std::optional<LossAtEnd> published_loss(const PublishedFinal& row, const Curve& dense,
                                        double equal_runs) {
  if (!says_loss(row, dense.metric)) return std::nullopt;
  const MetricKind of_row = kind_of(row.metric);
  const bool in_nats = of_row.name == "perplexity" && kind_of(dense.metric).name == "loss";
  const double unit = is_share(dense.metric) && is_fraction(dense) ? 1 / kPointsInOne : 1;
  const double sign = sounds_lower_is_better(dense.metric) ? -1 : 1;
  const double loss =
      in_nats ? std::log(*row.sparse / *row.dense) : sign * (*row.dense - *row.sparse) * unit;
  const double rounding = in_nats ? of_row.rounding / *row.dense : of_row.rounding * unit;
  const double error = std::hypot(2 * rounding, equal_runs * unit);
  return LossAtEnd{loss, {loss - error, loss + error}};
}

}  // namespace stcsim::curves
