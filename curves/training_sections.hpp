#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stcsim::curves {

/// Why the steps of a section of a training are dense or sparse.
enum class SectionKind : std::uint8_t {
  dense_before,  // a whole dense training, before the one whose epochs count
  warm_up,       // dense, whatever the scheme does
  sparse,
  dense
};

/// "dense before", "warm-up", "sparse", "dense"
[[nodiscard]] std::string_view to_string(SectionKind kind);

/// Epochs of a training whose steps are all alike.
struct Section {
  SectionKind kind = SectionKind::dense;
  /// Which of the networks of the schedule is trained (other resolution, other batch).
  std::size_t network = 0;
  double epochs = 0;

  friend bool operator==(const Section&, const Section&) = default;
};

/// When a scheme is sparse.
struct SectionRules {
  /// Part of the training's epochs; 0: dense training.
  double sparse_share = 0;
  /// The dense epochs come first, rather than last.
  bool dense_first = false;
  /// A dense training of the same length comes before.
  bool dense_before = false;
  /// These many epochs run dense even where the scheme would be sparse.
  double warm_up_epochs = 0;
};

/// The sections of a training, in order; none without epochs.
/// @param networks epochs that each network of the schedule is trained for, one after the other
/// @throws std::invalid_argument if anything is negative, or the share above 1
[[nodiscard]] std::vector<Section> sections_of(const SectionRules& rules,
                                               const std::vector<double>& networks);

/// Epochs that all take the same time.
struct Stretch {
  double epochs = 0;
  double s_per_epoch = 0;  // seconds
};

/// The time a training has taken after so many epochs: its stretches one after the other. What
/// comes behind the last of them takes as long per epoch as that one.
class TrainingCourse {
 public:
  /// @throws std::invalid_argument unless there is a stretch, and all are positive
  explicit TrainingCourse(std::vector<Stretch> stretches);

  [[nodiscard]] double seconds_at(double epochs) const;
  /// The epochs of all stretches.
  [[nodiscard]] double epochs() const;
  [[nodiscard]] double seconds() const { return seconds_at(epochs()); }

 private:
  std::vector<Stretch> stretches_;
};

}  // namespace stcsim::curves
