#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "curves/statistics.hpp"
#include "curves/time_to_accuracy.hpp"
#include "curves/training_sections.hpp"
#include "reports/tta/tta_summary.hpp"
#include "sim/run/result.hpp"
#include "workloads/scheme.hpp"

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
[[nodiscard]] std::vector<StepTime> step_times(const StudyResult& study);

/// Milliseconds of a step of a section: as simulated, and between what that lies.
struct SectionStep {
  double ms = 0;
  curves::Interval between;
  /// Against the dense step as simulated.
  double fastest = 0;
  double slowest = 0;
  double pruning_free = 0;
  double dense = 0;
};

struct TimedSection {
  curves::Section section;
  SectionStep step;
  double steps_per_epoch = 0;
};

/// The training with one scheme on one machine, made of its sections.
struct ComposedTraining {
  explicit ComposedTraining(curves::TimedTraining how) : timed(std::move(how)) {}

  curves::TimedTraining timed;
  std::vector<TtaPart> parts;
  /// Length that the sections were cut by, without a dense training before; 1 if it is not known.
  double epochs = 0;
  bool is_length_known = false;
  /// Steps of it, and what these and the training before take in the mean, as simulated.
  double steps = 0;
  double before_s = 0;
  double step_ms = 0;
  curves::Interval step_between;
  double pruning_free_step_ms = 0;
  double step_speedup = 1;
  curves::Interval step_speedup_between;
};

/// Makes trainings out of sections and simulated steps.
class TrainingComposer {
 public:
  /// Keeps references to all of them.
  /// @param batches samples a step on one device, of every network by name
  TrainingComposer(const TtaConfig& config, const std::vector<StepTime>& times,
                   const std::map<std::string, std::int64_t>& batches)
      : config_(config), times_(times), batches_(batches) {}

  /// @param length in epochs, if it is known
  /// @return nothing if a step of it could not be simulated
  [[nodiscard]] std::optional<ComposedTraining> compose(const std::string& machine,
                                                        const Scheme& scheme,
                                                        std::optional<double> length) const;

 private:
  [[nodiscard]] std::optional<std::vector<TimedSection>> sections_of(
      const std::string& machine, const Scheme& scheme, const std::vector<double>& networks) const;
  [[nodiscard]] const StepTime* find(const std::string& machine, const std::string& network,
                                     const std::string& scheme) const;
  [[nodiscard]] double steps_per_epoch(const std::string& network) const;

  const TtaConfig& config_;
  const std::vector<StepTime>& times_;
  const std::map<std::string, std::int64_t>& batches_;
};

}  // namespace stcsim
