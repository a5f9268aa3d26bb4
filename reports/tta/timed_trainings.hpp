#pragma once

#include <optional>
#include <string>
#include <vector>

#include "curves/time_to_accuracy.hpp"
#include "reports/tta/tta_summary.hpp"
#include "sim/run/result.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Simulated milliseconds of a training step of one network on one machine, all of whose steps are
/// sparse as the scheme has it (or dense).
struct StepTime {
  std::string machine;
  std::string network;
  std::string scheme;
  double ms = 0;
  double dense_ms = 0;
  /// Without what the scheme spends on pruning.
  double pruning_free_ms = 0;
  /// Between what it lies by the validated errors, and between what if the dense step takes what is
  /// simulated; the figure itself where errors are not known.
  double least_ms = 0;
  double most_ms = 0;
  double fastest_ms = 0;
  double slowest_ms = 0;
  /// What the board draws for it.
  double joules = 0;
};

/// Those of all complete totals of training steps.
[[nodiscard]] std::vector<StepTime> step_times(const StudyResult& study);

/// The training with one scheme on one machine, made of its sections.
struct ComposedTraining {
  curves::TimedTraining timed;
  std::vector<TtaPart> parts{};
  TtaStep step{};
  bool is_length_known = false;
  /// Steps of it, without a dense training before; what that takes.
  double steps = 0;
  double before_s = 0;
};

/// @param length in epochs, if it is known
/// @return nothing if a step of it could not be simulated
[[nodiscard]] std::optional<ComposedTraining> compose_training(const TtaSummary& summary,
                                                               const std::vector<StepTime>& times,
                                                               const std::string& machine,
                                                               const Scheme& scheme,
                                                               std::optional<double> length);

}  // namespace stcsim
