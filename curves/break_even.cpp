#include "curves/break_even.hpp"

#include <cmath>
#include <stdexcept>

namespace stcsim::curves {
namespace {

void require_positive(double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a time or number of steps that is not positive");
  }
}

}  // namespace

double mean_step_s(const std::vector<TrainingPart>& parts) {
  constexpr double kRounding = 1e-9;
  double shares = 0;
  double mean = 0;
  for (const TrainingPart& part : parts) {
    if (!(part.share >= 0) || !(part.step_s >= 0)) throw std::invalid_argument("a negative part");
    shares += part.share;
    mean += part.share * part.step_s;
  }
  if (!(std::abs(shares - 1) <= kRounding)) {
    throw std::invalid_argument("shares of a training that do not add up to 1");
  }
  return mean;
}

double break_even(double dense_step_s, double scheme_step_s) {
  require_positive(dense_step_s);
  require_positive(scheme_step_s);
  return dense_step_s / scheme_step_s;
}

std::optional<double> break_even(double dense_step_s, double scheme_step_s, double dense_steps,
                                 double once_s) {
  require_positive(dense_steps);
  if (!(once_s >= 0)) throw std::invalid_argument("a negative time");
  const double ratio = break_even(dense_step_s, scheme_step_s);
  const double left_s = dense_step_s * dense_steps - once_s;
  if (left_s <= 0) return std::nullopt;
  return ratio * left_s / (dense_step_s * dense_steps);
}

double speedup_to_accuracy(double dense_step_s, double scheme_step_s, double steps_ratio) {
  require_positive(steps_ratio);
  return break_even(dense_step_s, scheme_step_s) / steps_ratio;
}

}  // namespace stcsim::curves
