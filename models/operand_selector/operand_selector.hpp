#pragma once

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/operand_selector/operand_selector_config.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// Takes the B fragment of a sparse instruction and passes on, for each row of A, the values its
/// metadata points at: m values in for every n out. Every multiplier has a multiplexer in front of
/// it; where that sees only a part of a group, its values take several passes. What is selected is
/// carried out in models/functional/operand_selector.hpp.
class OperandSelector final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"operand_selector", "picks the values of B that metadata name"};

  /// @param config, multipliers  outlive it
  OperandSelector(const OperandSelectorConfig& config, const TensorCoreConfig& multipliers)
      : config_(&config), multipliers_(&multipliers) {}

  /// Cycles all of the instruction's B takes through the selector's input, or its kept values
  /// through the multiplexers if they take several passes; none for a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     const TensorCoreConfig& multipliers,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *multipliers_, *program.instruction) : Cycles();
  }

  const OperandSelectorConfig* config_;
  const TensorCoreConfig* multipliers_;
};

}  // namespace stcsim
