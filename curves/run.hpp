#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"

namespace stcsim::curves {

/// Something a reader did that its user ought to know.
struct Note {
  SourceLocation where;
  std::string text;
};

/// Notes of a file, the first hundred of them.
class NoteList {
 public:
  void add(SourceLocation where, std::string text) {
    if (notes_.size() < kMost)
      notes_.push_back({std::move(where), std::move(text)});
    else
      ++untold_;
  }
  [[nodiscard]] bool empty() const { return notes_.empty(); }
  [[nodiscard]] const Note& front() const { return notes_.front(); }

  /// The notes, with a last one that says how many there were besides.
  [[nodiscard]] std::vector<Note> take(const std::string& file) {
    if (untold_ > 0) notes_.push_back({{file}, "and " + std::to_string(untold_) + " more notes"});
    return std::move(notes_);
  }

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<Note> notes_;
  std::size_t untold_ = 0;
};

/// The axis a curve is drawn over: how much had been trained when a value was measured.
enum class Axis : std::uint8_t { epochs, steps, samples, hours, seconds };

/// "epochs", and of one: "epoch".
[[nodiscard]] std::string_view axis_name(Axis axis);
[[nodiscard]] std::string_view axis_singular(Axis axis);
[[nodiscard]] inline std::string_view to_string(Axis axis) {
  return axis_name(axis);
}
/// The axis of that name, in singular or plural.
[[nodiscard]] std::optional<Axis> axis_from_name(std::string_view name);

/// A measured value and how much had been trained by then. Of files that count from 0 one is added:
/// what was measured at the end of epoch 0 has x = 1.
struct Point {
  double x = 0;
  double value = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

/// The values of one metric in one run.
struct Curve {
  std::string metric;
  Axis axis = Axis::epochs;
  /// At least one; x finite and rising strictly, values finite.
  std::vector<Point> points;
};

/// One training run as a file has it.
struct Run {
  /// The file's name, with more where it holds several runs.
  std::string name;
  /// The format's name (format_name).
  std::string format;
  /// In the order in which the file names their metrics.
  std::vector<Curve> curves;
  /// Samples per step, if the file says so.
  std::optional<double> batch;

  [[nodiscard]] const Curve* find(std::string_view metric) const;
};

/// Most runs in a file.
inline constexpr std::size_t kMostRuns = 1000;

/// The contents of a file.
struct RunFile {
  std::vector<Run> runs;
  std::vector<Note> notes;
};

/// Sizes that turn an amount of training into steps.
struct TrainingSize {
  double samples_per_epoch = 0;
  double batch = 0;  // samples a step
};

/// Steps that `x` is; a step of less than a whole batch, at the end of an epoch, counts as that
/// share. Nothing for hours and seconds, which depend on the machine that was trained on.
/// @throws std::invalid_argument unless the sizes that are needed are positive
[[nodiscard]] std::optional<double> steps_of(double x, Axis axis, const TrainingSize& size);

}  // namespace stcsim::curves
