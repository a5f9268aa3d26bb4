#pragma once

#include "models/base/kernel_launch.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/time.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// Cycles one instruction keeps each stage of a sub-core, as the stages say from their
/// configuration.
struct InstructionTiming {
  Cycles multiply;  // kept products / multipliers; a vector instruction: threads / lanes
  Cycles supply;    // A, B and metadata from registers, accumulators both ways
  Cycles decode;    // metadata: filled in and decoded
  Cycles select;    // B through the selector
  /// What comes of it: the interval is the longest of these.
  InstructionPace pace;

  friend bool operator==(const InstructionTiming&, const InstructionTiming&) = default;
};

/// The machine must multiply the instruction's type.
[[nodiscard]] InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                                          const MmaInstruction& instruction);

/// Of what a warp's program consists of: matrix instructions or vector instructions.
[[nodiscard]] InstructionTiming timing_of(const StreamingMultiprocessorConfig& sm,
                                          const WarpProgram& program);

/// What the instructions of a CTA take at least that runs so many k-steps: the warps of all CTAs of
/// an SM share its sub-cores, no better than evenly.
[[nodiscard]] Cycles issue_cycles(const StreamingMultiprocessorConfig& sm,
                                  const KernelLaunch& launch, std::int64_t steps);

}  // namespace stcsim
