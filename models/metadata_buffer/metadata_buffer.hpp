#pragma once

#include <cstdint>

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/operand_selector/operand_selector_config.hpp"

namespace stcsim {

/// Holds the metadata words of a sparse instruction and decodes them into the selector's settings.
class MetadataBuffer : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"metadata_buffer",
                                  "holds and decodes metadata of sparse operands"};

  /// Cycles it takes to load and decode the metadata of one instruction; none for a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     const MmaInstruction& instruction) {
    return instruction.pattern.is_dense() ? Cycles() : Cycles(config.metadata_decode_cycles);
  }
};

}  // namespace stcsim
