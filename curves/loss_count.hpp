#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "curves/crossing.hpp"
#include "curves/published.hpp"
#include "curves/run.hpp"
#include "curves/statistics.hpp"

namespace stcsim::curves {

/// By how much a training ends below dense training, in the unit of its curve (negative: it ends
/// above), and between what that lies.
struct LossAtEnd {
  double value = 0;
  Interval between;
};

/// The logarithm by which epochs that predict_crossing() says are off, in 95 % of cases: the
/// quantile over the project's own trainings (configs/papers/trained.csv, every scheme on both
/// tasks, epochs to 80, 90 and 97 % of dense's end), which a test computes anew.
inline constexpr double kLossFormError = 0.18;

/// The curve of a training of which nothing but its loss at the end is known: the dense one lowered
/// by the loss in proportion to progress, which is the share of its last value that it has reached.
/// Lowered in proportion to the epochs, by the loss all along, shifted or stretched in time it
/// predicts own trainings worse on the worse of both tasks.
/// @param dense  of a metric that is 0 before training and gets higher; a last value above 0
[[nodiscard]] Curve lowered(const Curve& dense, double loss);

/// How much is trained up to a target, by a dense curve and a loss at its end.
struct PredictedCrossing {
  /// On straight lines between points; nothing: the lowered curve ends short of the target.
  std::optional<double> x;
  /// The least it may be. Nothing if it is not reached with the least loss either.
  std::optional<double> low;
  /// The most; nothing if it may never get there.
  std::optional<double> high;
  /// Where the lowered curve ends, and between what.
  double end = 0;
  Interval end_between;
};

/// @param form_error  the logarithm by which x may be off although the loss is right
[[nodiscard]] PredictedCrossing predict_crossing(const Curve& dense, double target,
                                                 const LossAtEnd& loss,
                                                 double form_error = kLossFormError);

/// The largest distance between published final values of equal dense trainings (rows of one
/// source, network and length), in points. 0 if none was published twice.
[[nodiscard]] double distance_of_equal_runs(const std::vector<PublishedFinal>& rows);

/// The loss that a row publishes, in the unit of `dense`: it lies within the rounding of both
/// values and the distance of equal runs, added in quadrature. Nothing if one of the two is not
/// published, or if the row's metric (top-1, accuracy) is not that of the curve.
/// @param equal_runs  distance_of_equal_runs(), in points
[[nodiscard]] std::optional<LossAtEnd> published_loss(const PublishedFinal& row, const Curve& dense,
                                                      double equal_runs);

}  // namespace stcsim::curves
