#include "curves/published.hpp"

#include <algorithm>
#include <cmath>
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

namespace {

constexpr double kPointsInOne = 100;
/// Half of the last digit of a value that is published with one digit behind the point.
constexpr double kRounding = 0.05;

bool is_of_same(const PublishedFinal& one, const PublishedFinal& other) {
  return one.source == other.source && one.network == other.network &&
         one.dataset == other.dataset && one.metric == other.metric && one.length == other.length &&
         one.schedule == other.schedule;
}

/// A target of just what is left of dense's end is reached, however the two were rounded.
std::optional<double> crossing_of(const Curve& dense, double target, double loss) {
  constexpr double kSlack = 1e-9;
  return smoothed_crossing(lowered(dense, loss), {target * (1 - kSlack), false}, 1);
}

}  // namespace

Curve lowered(const Curve& dense, double loss) {
  const double end = dense.points.back().value;
  if (!(end > 0)) throw std::invalid_argument("a curve that ends at 0 or below");
  Curve curve = dense;
  for (Point& point : curve.points) point.value -= loss * point.value / end;
  return curve;
}

PredictedCrossing predict_crossing(const Curve& dense, double target, const LossAtEnd& loss,
                                   double form_error) {
  const double end = dense.points.back().value;
  PredictedCrossing found{crossing_of(dense, target, loss.value),
                          crossing_of(dense, target, loss.between.low),
                          crossing_of(dense, target, loss.between.high),
                          end - loss.value,
                          {end - loss.between.high, end - loss.between.low}};
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

double distance_of_equal_runs(const std::vector<PublishedFinal>& rows) {
  double largest = 0;
  for (const PublishedFinal& one : rows) {
    for (const PublishedFinal& other : rows) {
      const bool is_dense = !one.sparse && !other.sparse && one.dense && other.dense;
      if (is_dense && is_of_same(one, other)) {
        largest = std::max(largest, *one.dense - *other.dense);
      }
    }
  }
  return largest;
}

std::optional<LossAtEnd> published_loss(const PublishedFinal& row, const Curve& dense,
                                        double equal_runs) {
  const bool is_accuracy = row.metric.starts_with("top-1") || row.metric.starts_with("accuracy");
  if (!row.dense || !row.sparse || !is_accuracy || !is_share(dense.metric)) return std::nullopt;
  const double unit = is_fraction(dense) ? 1 / kPointsInOne : 1;
  const double loss = (*row.dense - *row.sparse) * unit;
  const double error = std::hypot(2 * kRounding, equal_runs) * unit;
  return LossAtEnd{loss, {loss - error, loss + error}};
}

}  // namespace stcsim::curves
