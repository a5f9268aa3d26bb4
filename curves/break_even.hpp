#pragma once

#include <optional>
#include <vector>

namespace stcsim::curves {

/// A part of a training: its share of the steps, and what a step of it takes.
struct TrainingPart {
  double share = 1;   // of all steps; the shares of a training add up to 1
  double step_s = 0;  // seconds
};

/// Mean time of a step of a training made of parts (5/6 sparse, then dense), in seconds.
/// @throws std::invalid_argument if a share or a time is negative, or the shares do not add up to 1
///         to within 1e-9
[[nodiscard]] double mean_step_s(const std::vector<TrainingPart>& parts);

/// How many times as many steps (or epochs, at the same batch) as dense training a scheme may take
/// and still be done no later: 1.2 says that it wins if it needs less than 20 % more.
/// @throws std::invalid_argument unless both times are positive
[[nodiscard]] double break_even(double dense_step_s, double scheme_step_s);

/// The same for a scheme that takes `once_s` besides its steps (a first training, a search for
/// masks), against a dense training of so many steps. Nothing if that alone takes longer than the
/// dense training.
/// @throws std::invalid_argument unless the times of steps and their number are positive and
/// `once_s` is not negative
[[nodiscard]] std::optional<double> break_even(double dense_step_s, double scheme_step_s,
                                               double dense_steps, double once_s);

/// Time to accuracy of dense training over that of a scheme that needs `steps_ratio` times as many
/// steps: above 1 the scheme wins.
/// @throws std::invalid_argument unless all are positive
[[nodiscard]] double speedup_to_accuracy(double dense_step_s, double scheme_step_s,
                                         double steps_ratio);

}  // namespace stcsim::curves
