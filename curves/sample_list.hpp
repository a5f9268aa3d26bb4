#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// Most values that are kept of one file, and most metrics.
inline constexpr std::size_t kMostValues = 4'000'000;
inline constexpr std::size_t kMostMetrics = 10'000;

/// The values of a file in its order, and the curves they make:
/// - values that are NaN or infinite are left out;
/// - of values at the same x the last one counts;
/// - values are sorted by x.
/// All of that is told in notes, a line each for a metric.
class SampleList {
 public:
  explicit SampleList(std::string file) : file_(std::move(file)) {}

  /// Number of the metric of that name. @throws ConfigError if they are too many
  std::size_t metric(std::string_view name, int line);
  /// @param x finite
  /// @throws ConfigError if values are too many
  void add(std::size_t metric, double x, double value, int line);
  /// Forgets the values at and behind `x`.
  void drop_from(double x);
  [[nodiscard]] std::size_t size() const { return samples_.size(); }
  /// Whether every x is whole, and the least one 0.
  [[nodiscard]] bool counts_from_zero() const;

  struct Shape {
    Axis axis = Axis::epochs;
    /// Added to every x.
    double shift = 0;
    /// Several values at one x are how the format is, and no news.
    bool repeats = false;
  };
  /// The curves of the samples from `first` up to `last`, of metrics that have a value there.
  [[nodiscard]] std::vector<Curve> curves(std::size_t first, std::size_t last, const Shape& shape,
                                          NoteList& notes) const;

 private:
  struct Sample {
    std::size_t metric = 0;
    double x = 0;
    double value = 0;
    int line = 0;
  };
  [[nodiscard]] Curve curve_of(std::vector<Sample> samples, const Shape& shape,
                               NoteList& notes) const;

  std::string file_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::vector<Sample> samples_;
};

}  // namespace stcsim::curves
