#pragma once

#include <cstdint>
#include <optional>

#include "models/base/time.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// Cycles one matrix instruction keeps each part of a sub-core busy.
struct InstructionTiming {
  Cycles multiply;  // m*n*k*(n_keep/m_group) / multipliers
  Cycles fetch;     // A, B and metadata from registers
  Cycles select;    // B through the selector; metadata decoding
  /// Issue interval of independent instructions of different warps: the measured one if the machine
  /// states it, else the longest of the three.
  Cycles interval;
  /// Between two that directly follow each other in one warp, the interval is in the mean so much
  /// longer: the tensor core's bubble times multiply / interval.
  Millicycles same_warp_bubble;

  friend bool operator==(const InstructionTiming&, const InstructionTiming&) = default;
};

/// Bytes of kept A values, B values and metadata one instruction reads.
struct InstructionOperands {
  std::int64_t a_bytes = 0;
  std::int64_t b_bytes = 0;
  std::int64_t metadata_bytes = 0;
};
[[nodiscard]] InstructionOperands operands_of(const MmaInstruction& instruction);

/// The longest of the three parts, from multiplier count, selector width and operand-fetch width.
[[nodiscard]] InstructionTiming derived_timing(const StreamingMultiprocessorConfig& sm,
                                               const MmaInstruction& instruction);

/// Derived timing, with the measured interval in place of the derived one where the instruction has
/// it.
[[nodiscard]] InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                                          const MmaInstruction& instruction);

/// The instruction kernels use for `dtype` on hardware pattern `pattern`: of those listed with the
/// usual accumulator (accumulator_of) the one with the longest k. For a native pattern without a
/// listed instruction it is derived from the dense one: the same kept values per instruction
/// (logical k grows by m/n) and the same latency. Nothing if the machine does not multiply this
/// type or has no such pattern.
[[nodiscard]] std::optional<MmaInstruction> instruction_for(const StreamingMultiprocessorConfig& sm,
                                                            DataType dtype, Pattern pattern);

}  // namespace stcsim
