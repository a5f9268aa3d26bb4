#pragma once

#include <string>
#include <vector>

#include "curves/statistics.hpp"
#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Simulated time of a training step of one network on one machine, all of whose steps are sparse
/// as the scheme has it (or dense).
struct StepTime {
  std::string machine;
  std::string network;
  std::string scheme;
  double ms = 0;
  /// What the dense step takes.
  double dense_ms = 0;
  /// Without what the scheme spends on pruning.
  double pruning_free_ms = 0;
  /// Where `ms` lies by the validated errors, and where the step's speedup over dense does; both
  /// ends are the figure itself where errors are not known.
  curves::Interval between;
  curves::Interval speedup_between;
};

/// Those of all complete totals of training steps.
/// @param errors may be null
[[nodiscard]] std::vector<StepTime> step_times(const StudyResult& study, DataType dtype,
                                               const ValidatedErrors* errors);

}  // namespace stcsim
