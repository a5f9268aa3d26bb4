#pragma once

#include "models/base/mma_instruction.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/operand_selector/operand_selector_config.hpp"

namespace stcsim {

/// Takes the B fragment of a sparse instruction and passes on, for each row of A, the values its
/// metadata points at: m values in for every n out. What is selected is carried out in
/// models/functional/operand_selector.hpp.
class OperandSelector final : public PassingStage {
 public:
  static constexpr UnitKind kKind{"operand_selector", "picks the values of B that metadata name"};

  /// @param config  outlives it
  explicit OperandSelector(const OperandSelectorConfig& config) : config_(&config) {}

  /// Cycles all of the instruction's B takes through the selector; none for a dense one.
  [[nodiscard]] static Cycles cycles(const OperandSelectorConfig& config,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) const override {
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }

  const OperandSelectorConfig* config_;
};

}  // namespace stcsim
