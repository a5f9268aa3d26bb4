#pragma once

#include <optional>

#include "curves/run.hpp"

namespace stcsim::curves {

/// What turns an amount of training into steps.
struct TrainingSize {
  double samples_per_epoch = 0;
  double batch = 0;  // samples a step
};

/// Steps that `x` is; a step of less than a whole batch, at the end of an epoch, counts as that
/// share. Nothing for hours and seconds, which depend on the machine that was trained on.
/// @throws std::invalid_argument unless the sizes that are needed are positive
[[nodiscard]] std::optional<double> steps_of(double x, Axis axis, const TrainingSize& size);

}  // namespace stcsim::curves
