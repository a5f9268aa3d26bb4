#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curves/note_list.hpp"

namespace stcsim::curves {

/// What a curve is drawn over: how much had been trained when a value was measured.
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
  /// The format's name (file_format.hpp).
  std::string format;
  /// In the order in which the file names their metrics.
  std::vector<Curve> curves;
  /// Samples per step, if the file says so.
  std::optional<double> batch;

  [[nodiscard]] const Curve* find(std::string_view metric) const;
};

/// Most runs in a file.
inline constexpr std::size_t kMostRuns = 1000;

/// What is in a file.
struct RunFile {
  std::vector<Run> runs;
  std::vector<Note> notes;
};

}  // namespace stcsim::curves
