#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/accelerator/launch_statistics.hpp"
#include "models/base/statistics.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/run/operand_actions.hpp"

namespace stcsim {

/// Where the cycles of all instances of one unit went. Buckets sum to instances * total cycles.
struct UnitReport {
  std::string unit;  // e.g. "tensor_core"
  std::int64_t instances = 0;
  std::vector<std::pair<std::string, std::int64_t>> buckets;  // name, cycles

  friend bool operator==(const UnitReport&, const UnitReport&) = default;
};

/// One simulated launch (a GEMM with its split-K reduction, or a stream kernel).
struct LaunchResult {
  KernelReport kernel;
  std::int64_t cycles = 0;
  /// The clock it ran at, and what the board drew; 0 W if the machine does not say.
  double clock_mhz = 0;
  double board_watts = 0;
  /// Multiply-accumulates the multipliers did, padding included, zeros skipped.
  std::int64_t multiplier_macs = 0;
  /// Multiplier slots the tensor cores had in that time.
  std::int64_t peak_macs = 0;
  std::int64_t mma_instructions = 0;
  /// What the units counted, e.g. "dram_read_bytes"; instructions apart.
  std::vector<Counter> counters;
  std::vector<UnitReport> units;
  /// SystemC activations it took to simulate.
  std::int64_t events = 0;
  /// What its matrix instructions moved and switched inside the SMs.
  OperandActions actions;
  /// If only a part of it was simulated (sampling.hpp).
  std::optional<SampledPart> sampled = {};

  /// Where its cycles lie: they are known unless it was sampled.
  [[nodiscard]] std::int64_t cycles_low() const { return sampled ? sampled->cycles_low : cycles; }
  [[nodiscard]] std::int64_t cycles_high() const { return sampled ? sampled->cycles_high : cycles; }
  /// Share of its CTAs that were simulated.
  [[nodiscard]] double simulated_share() const {
    return sampled ? sampled->simulated_share() : 1.0;
  }
  [[nodiscard]] double time_us() const { return static_cast<double>(cycles) / clock_mhz; }
  /// A counter's value. Throws SimulationError if no unit counts that.
  [[nodiscard]] std::int64_t count(std::string_view counter) const {
    return count_of(counters, counter);
  }
  friend bool operator==(const LaunchResult&, const LaunchResult&) = default;
};

/// The machine's counters as a result; kernel and MAC counts are left to the caller.
[[nodiscard]] LaunchResult to_result(const LaunchStatistics& statistics);

/// Adds a launch that ran after `first` (split-K reduction): cycles, buckets, traffic and events
/// add up; the kernel stays that of the first.
void append_launch(LaunchResult& first, const LaunchStatistics& second);

/// The same for a launch that already is a result; MAC counts add up too.
void append_result(LaunchResult& first, const LaunchResult& more);

}  // namespace stcsim
