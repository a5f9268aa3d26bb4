#pragma once

#include <vector>

namespace stcsim::curves {

/// Epochs that all take the same time.
struct Stretch {
  double epochs = 0;
  double s_per_epoch = 0;  // seconds
};

/// How long a training has taken after so many epochs: its stretches one after the other. What
/// comes behind the last of them takes as long per epoch as that one.
class TrainingCourse {
 public:
  /// @throws std::invalid_argument unless there is a stretch, and all are positive
  explicit TrainingCourse(std::vector<Stretch> stretches);

  [[nodiscard]] double seconds_at(double epochs) const;
  /// Of all stretches.
  [[nodiscard]] double epochs() const;
  [[nodiscard]] double seconds() const { return seconds_at(epochs()); }

 private:
  std::vector<Stretch> stretches_;
};

}  // namespace stcsim::curves
