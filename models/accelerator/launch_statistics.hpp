#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/base/statistics.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// A launch of which only a part was simulated: where its cycles lie, and how large the part was.
struct SampledPart {
  std::int64_t cycles_low = 0;
  std::int64_t cycles_high = 0;
  std::int64_t simulated_ctas = 0;
  std::int64_t ctas = 0;

  /// The share of all CTAs.
  [[nodiscard]] double simulated_share() const {
    return static_cast<double>(simulated_ctas) / static_cast<double>(ctas);
  }
  friend bool operator==(const SampledPart&, const SampledPart&) = default;
};

/// Counters of bytes that every machine has, in the order of outputs.
inline constexpr std::array<std::string_view, 8> kTrafficCounters{
    "shared_memory_read_bytes", "shared_memory_write_bytes", "l2_read_bytes",    "l2_hit_bytes",
    "l2_write_bytes",           "dram_read_bytes",           "dram_write_bytes", "metadata_bytes"};

/// The statistics of one launch. Outputs list first what they have always listed, in the same
/// order; the rest follows as it comes in the block diagram.
struct LaunchStatistics {
  Cycles cycles;
  std::vector<UnitTotals> units;
  /// Activations it took to simulate.
  std::int64_t events = 0;
  /// If not all CTAs were simulated; then cycles, buckets and counters are those of all, estimated.
  std::optional<SampledPart> sampled = {};

  /// The counters of all units, those of kTrafficCounters first.
  [[nodiscard]] std::vector<Counter> counters() const;
  /// A counter's value. Throws SimulationError if no unit counts that.
  [[nodiscard]] std::int64_t count(std::string_view counter) const;
  /// Tensor-core or vector instructions of all sub-cores.
  [[nodiscard]] std::int64_t instructions() const { return count("instructions"); }

  friend bool operator==(const LaunchStatistics&, const LaunchStatistics&) = default;
};

/// The kinds of units in the order of outputs.
[[nodiscard]] std::vector<UnitTotals> in_order_of_outputs(std::vector<UnitTotals> units);

}  // namespace stcsim
