#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/data_type.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/statistics.hpp"
#include "models/sub_core/sub_core_config.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {

/// What matrix instructions moved and switched inside the SMs, besides multiplying.
struct OperandActions {
  /// A, B and metadata that came from registers; A and B do not where they come straight from
  /// shared memory (wgmma).
  std::int64_t register_bytes = 0;
  /// C read and D written.
  std::int64_t accumulator_bytes = 0;
  /// Into the metadata buffers.
  std::int64_t metadata_bytes = 0;
  /// Positions that were decoded: one for each kept value of A, or pair of them.
  std::int64_t decodes = 0;
  /// 2-input multiplexers of one bit, each time that an operand of B came through.
  std::int64_t selector_muxes = 0;
  /// Bits that registers between the selector's stages took in.
  std::int64_t selector_register_bits = 0;
  /// Multiply-accumulates of patterns that no energy was measured with: all but dense, 1:2 and 2:4
  /// (of values or of pairs), which GEMM times were.
  std::int64_t unmeasured_macs = 0;
  /// Between the L2 cache and the vector units of kernels without matrix instructions.
  std::int64_t vector_bytes = 0;

  OperandActions& operator+=(const OperandActions& more);
  friend bool operator==(const OperandActions&, const OperandActions&) = default;
};

/// Bits of an operand as registers hold it: 16 of fp16, 32 of tf32, 4 of int4.
[[nodiscard]] std::int64_t stored_bits(DataType dtype);

/// Whether published GEMM times say what a multiply-accumulate of this pattern takes.
[[nodiscard]] bool is_measured(Pattern pattern);

/// 2-input multiplexers that one value of B passes on its way to a multiplier: all but one of the
/// inputs of a full crossbar from the m of a group to each of the n kept (pairs count as one). 0 if
/// dense.
[[nodiscard]] std::int64_t muxes_per_value(Pattern pattern);

/// Of so many equal instructions.
[[nodiscard]] OperandActions actions_of(const MmaInstruction& instruction,
                                        const StreamingMultiprocessorConfig& sm,
                                        std::int64_t instructions);

/// A register of one bit takes as many transistors, 24, as so many 2-input multiplexers.
inline constexpr std::int64_t kMuxesPerRegister = 2;

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
  /// Cycles that all instances of a unit were at work; 0 if there is no such unit.
  [[nodiscard]] std::int64_t busy_cycles(std::string_view unit) const;
  friend bool operator==(const LaunchResult&, const LaunchResult&) = default;
};

/// What the launch's matrix instructions moved and switched. In closed form so many equal
/// instructions; where they pass event by event, what the stages counted: data may make it less.
[[nodiscard]] OperandActions counted_actions(const LaunchResult& launch,
                                             const MmaInstruction& instruction,
                                             const StreamingMultiprocessorConfig& sm);
/// The same of multiply-accumulates.
[[nodiscard]] std::int64_t counted_macs(const LaunchResult& launch,
                                        const MmaInstruction& instruction,
                                        const StreamingMultiprocessorConfig& sm);

/// The machine's counters as a result; kernel and MAC counts are left to the caller.
[[nodiscard]] LaunchResult to_result(const LaunchStatistics& statistics);

/// Adds a launch that ran beside `first` (split-K reduction, transforms): cycles, buckets, traffic
/// and events add up; the kernel stays that of the first.
void append_launch(LaunchResult& first, const LaunchStatistics& second);

/// The same for a launch that already is a result; MAC counts add up too.
void append_result(LaunchResult& first, const LaunchResult& more);

}  // namespace stcsim
