#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/statistics.hpp"
#include "sim/run/machine_runner.hpp"
#include "tests/support/random_machine.hpp"

namespace stcsim::test {

/// What came of a launch that was answered from a part of its grid.
struct SampledCase {
  /// Machine and problem in words.
  std::string text;
  LaunchStatistics exact;
  LaunchStatistics sampled;

  [[nodiscard]] bool is_inside() const {
    return sampled.sampled->cycles_low <= exact.cycles.count() &&
           exact.cycles.count() <= sampled.sampled->cycles_high;
  }
  /// Of the bound, of the true cycles.
  [[nodiscard]] double width() const {
    return static_cast<double>(sampled.sampled->cycles_high - sampled.sampled->cycles_low) /
           static_cast<double>(exact.cycles.count());
  }
};

/// Draws GEMMs of odd and even sizes, one in four with few tiles and a long k, dense and 2:4, on
/// shipped machines, each with its best-ranked kernel. Has to be made before anything runs in the
/// process.
class SampledCases {
 public:
  explicit SampledCases(std::uint64_t seed);

  /// The next launch of which a part is left out, sampled and simulated to its end.
  [[nodiscard]] SampledCase next();
  /// Launches so far that were not sampled: their waves recur, or they are short.
  [[nodiscard]] std::int64_t exact() const { return exact_; }

 private:
  [[nodiscard]] GemmProblem draw_problem();
  [[nodiscard]] GemmProblem draw_long_problem();

  Dice dice_;
  std::vector<std::unique_ptr<MachineRunner>> runners_;
  std::int64_t exact_ = 0;
};

/// How many of so many cases lie inside their bounds, and the bounds' widths. Prints both.
struct SampledSummary {
  std::int64_t cases = 0;
  std::int64_t inside = 0;
  /// That took no fewer events than the whole launch, which would have recurred later on.
  std::int64_t in_vain = 0;
  double median_width = 0;
  std::int64_t sampled_events = 0;
  std::int64_t exact_events = 0;
};
[[nodiscard]] SampledSummary sample_cases(SampledCases& cases, std::int64_t count);

}  // namespace stcsim::test
