#include "training/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stcsim::training {
namespace {

std::int64_t part_of(std::int64_t steps, double part) {
  return std::llround(static_cast<double>(steps) * part);
}

}  // namespace

double Schedule::factor(double x) const {
  if (x < rise) return x / rise;
  const double fallen = (x - rise) / (1 - rise);
  return kind == ScheduleKind::peak ? 1 - fallen : 0.5 * (1 + std::cos(std::numbers::pi * fallen));
}

Timeline::Timeline(const Scheme& scheme, std::int64_t steps, Schedule schedule,
                   std::int64_t published_steps)
    : steps_(steps),
      schedule_(schedule),
      published_steps_(published_steps),
      pretraining_(scheme.dense_steps == DenseSteps::before ? steps / 2 : 0),
      first_sparse_(pretraining_),
      end_sparse_(steps),
      freezes_variance_(scheme.training.freezes_variance) {
  const std::int64_t sparse = part_of(steps - pretraining_, scheme.share_of_training);
  if (scheme.dense_steps == DenseSteps::first) {
    first_sparse_ = steps - sparse;
  } else {
    end_sparse_ = first_sparse_ + sparse;
  }
}

double Timeline::rate_factor(std::int64_t step) const {
  const bool again = step >= pretraining_;
  const std::int64_t begin = again ? pretraining_ : 0;
  const std::int64_t length = again ? steps_ - pretraining_ : pretraining_;
  return schedule_.factor((static_cast<double>(step - begin) + 0.5) / static_cast<double>(length));
}

std::int64_t Timeline::period(std::int64_t published) const {
  if (published == 0) return 0;
  const double part = static_cast<double>(published) / static_cast<double>(published_steps_);
  return std::max<std::int64_t>(1, part_of(steps_, part));
}

std::int64_t Timeline::order_period() const {
  return std::max<std::int64_t>(1, steps_ / kOrderSearches);
}

}  // namespace stcsim::training
