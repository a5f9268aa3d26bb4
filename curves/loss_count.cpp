#include "curves/loss_count.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "curves/metric.hpp"
#include "curves/time_to_accuracy.hpp"

namespace stcsim::curves {
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
