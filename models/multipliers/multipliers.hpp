#pragma once

#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// The multiply-accumulate array of one tensor core: the last stage of matrix instructions.
class Multipliers final : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"multipliers", "the multiply-accumulate array"};

  /// @param config  outlives it
  explicit Multipliers(const TensorCoreConfig& config) : config_(&config) {}

  /// Cycles the kept products of one instruction keep the array busy. The machine must multiply its
  /// type.
  [[nodiscard]] static Cycles cycles(const TensorCoreConfig& config,
                                     const MmaInstruction& instruction);

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? cycles(*config_, *program.instruction) : Cycles();
  }
  /// The tensor core's bubble times own / interval, as a wait of the multipliers costs nothing
  /// while they would be idle anyway.
  [[nodiscard]] InstructionPace pace_at_end(const WarpProgram& program,
                                            Cycles slowest) const override;

  const TensorCoreConfig* config_;
};

}  // namespace stcsim
