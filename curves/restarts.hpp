#pragma once

#include <cstddef>
#include <vector>

namespace stcsim::curves {

/// Where a run begins in a file: its first sample and its line.
struct Restart {
  std::size_t sample = 0;
  int line = 0;
};

/// Finds where a file that several runs were written into, one behind the other, begins anew: x
/// falls to the first x of the run or below it. In a file where x falls as often as it rises, rows
/// are in no order, and nothing begins anew.
class Restarts {
 public:
  /// The next row.
  /// @param sample how many samples were before it
  void take(double x, std::size_t sample, int line);

  /// The runs among so many samples, at least one.
  [[nodiscard]] std::vector<Restart> parts(std::size_t samples) const;

 private:
  std::vector<Restart> found_;
  bool started_ = false;
  double first_ = 0;
  double last_ = 0;
  std::size_t rises_ = 0;
  std::size_t falls_ = 0;
};

}  // namespace stcsim::curves
