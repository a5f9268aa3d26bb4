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

/// The axis a curve is drawn over: how much had been trained when a value was measured.
enum class Axis : std::uint8_t { epochs, steps, samples, hours, seconds };

/// "epochs", ...
[[nodiscard]] std::string_view to_string(Axis axis);
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
  /// The format's name.
  std::string format;
  /// In the order in which the file names their metrics.
  std::vector<Curve> curves;

  [[nodiscard]] const Curve* find(std::string_view metric) const;
};

/// Most runs in a file.
inline constexpr std::size_t kMostRuns = 1000;

/// The contents of a file.
struct RunFile {
  std::vector<Run> runs;
  std::vector<Note> notes;
};

/// Notes of a file, the first hundred of them.
class NoteList {
 public:
  void add(SourceLocation where, std::string text) {
    if (++count_ <= kMost) notes_.push_back({std::move(where), std::move(text)});
  }
  /// The contents of a file that was read, with a last note that says how many there were besides.
  /// @throws ConfigError that there is `nothing`, and why, if there are no runs
  [[nodiscard]] RunFile with_runs(std::vector<Run> runs, const std::string& file,
                                  const std::string& nothing);

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<Note> notes_;
  std::size_t count_ = 0;
};

/// Whether a metric's name says that lower is better: loss, error, perplexity, word error rate...
[[nodiscard]] bool sounds_lower_is_better(std::string_view metric);

/// Whether its name says that a metric is a fraction or percentage of right answers: acc, top.
[[nodiscard]] bool is_share(std::string_view metric);
/// Whether such a metric is a fraction rather than percent: its largest value is at most 1.5.
[[nodiscard]] bool is_fraction(const Curve& curve);

/// The metrics that every one of the runs has, in the first one's order.
[[nodiscard]] std::vector<std::string> common_metrics(const std::vector<Run>& runs);

/// The metric of the runs that is meant by `name`, whatever the case of its letters; with an empty
/// name their only one.
/// @throws ConfigError if a run has no such metric, or there is more than one to choose from
[[nodiscard]] std::string choose_metric(const std::vector<Run>& runs, const std::string& name);

/// Refuses runs that cannot be compared: over different axes, or an accuracy as a fraction in one
/// and in percent in another (the largest value is at most 1.5 in one only).
/// @throws ConfigError that names both runs
void check_comparable(const std::vector<Run>& runs, const std::string& metric);

/// Refuses a target in percent for an accuracy that is a fraction.
/// @throws ConfigError that names the target
void check_target(const std::vector<Run>& runs, const std::string& metric, double target);

}  // namespace stcsim::curves
