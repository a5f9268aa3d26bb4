#pragma once

#include <cstddef>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// The Pareto front: the places of those that no other beats, by costing no more of anything and
/// less of something. In the order of their costs. Of equal ones all stay.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& costs);

/// A value that a way of training (a scheme, by its number) has after some time.
struct TimedValue {
  double hours = 0;
  double value = 0;
  std::size_t of = 0;

  friend bool operator==(const TimedValue&, const TimedValue&) = default;
};

/// Points that no other point beats, by being at least as good in no more time, and better in one
/// of both. In the order of time.
[[nodiscard]] std::vector<TimedValue> pareto_front(const std::vector<TimedValue>& points,
                                                   bool lower_is_better);

/// Whether another way of training has a point that beats this one.
[[nodiscard]] bool is_beaten(const TimedValue& point, const std::vector<TimedValue>& points,
                             bool lower_is_better);

/// The mean of several curves: at every x of any of them, of those that have begun and not ended by
/// then, on straight lines between their points.
struct MeanPoint {
  double x = 0;
  std::size_t runs = 0;
  double mean = 0;
  double least = 0;
  double most = 0;
};
[[nodiscard]] std::vector<MeanPoint> mean_curve(const std::vector<std::vector<Point>>& curves);

}  // namespace stcsim::curves
