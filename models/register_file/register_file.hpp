#pragma once

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/register_file/register_file_config.hpp"

namespace stcsim {

/// The register file of one sub-core as the tensor core sees it: for every instruction
/// it supplies A, B and metadata, and moves the accumulators there and back at the same time.
class RegisterFile : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"register_file", "supplies operands of instructions"};

  /// Cycles one instruction keeps it; operands that come from shared memory pass by.
  [[nodiscard]] static Cycles cycles(const OperandFetchConfig& config,
                                     const MmaInstruction& instruction);
};

}  // namespace stcsim
