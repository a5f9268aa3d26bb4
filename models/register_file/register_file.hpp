#pragma once

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/register_file/register_file_config.hpp"

namespace stcsim {

/// The register file of one sub-core as the tensor core sees it: it supplies A, B and metadata of
/// every instruction.
class RegisterFile : public PipelineStage {
 public:
  /// Cycles it takes to supply one instruction; none if operands come from shared memory.
  [[nodiscard]] static Cycles cycles(const OperandFetchConfig& config,
                                     const MmaInstruction& instruction);
};

}  // namespace stcsim
