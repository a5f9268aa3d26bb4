#pragma once

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/register_file/register_file_config.hpp"

namespace stcsim {

/// The register file of one sub-core as the tensor core sees it: for every instruction
/// it supplies A, B and metadata, and moves the accumulators there and back at the same time.
class RegisterFile final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"register_file", "supplies operands of instructions"};

  /// @param config  outlives it
  explicit RegisterFile(const OperandFetchConfig& config) : config_(&config) {}

  /// Cycles one instruction keeps it; operands that come from shared memory pass by.
  [[nodiscard]] static Cycles cycles(const OperandFetchConfig& config,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }

  const OperandFetchConfig* config_;
};

}  // namespace stcsim
