#include "curves/training_course.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace stcsim::curves {

TrainingCourse::TrainingCourse(std::vector<Stretch> stretches) : stretches_(std::move(stretches)) {
  const auto is_wrong = [](const Stretch& stretch) {
    return !(stretch.epochs > 0) || !(stretch.s_per_epoch > 0) ||
           !std::isfinite(stretch.s_per_epoch);
  };
  if (stretches_.empty() || std::any_of(stretches_.begin(), stretches_.end(), is_wrong)) {
    throw std::invalid_argument("a training without epochs, or with some that take no time");
  }
}

double TrainingCourse::seconds_at(double epochs) const {
  double seconds = 0;
  double left = epochs;
  for (const Stretch& stretch : stretches_) {
    const bool is_last = &stretch == &stretches_.back();
    const double here = is_last ? left : std::min(left, stretch.epochs);
    seconds += here * stretch.s_per_epoch;
    left -= here;
    if (left <= 0) break;
  }
  return seconds;
}

double TrainingCourse::epochs() const {
  double sum = 0;
  for (const Stretch& stretch : stretches_) sum += stretch.epochs;
  return sum;
}

}  // namespace stcsim::curves
