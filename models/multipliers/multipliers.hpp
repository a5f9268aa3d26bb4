#pragma once

#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// The multiply-accumulate array of one tensor core.
class Multipliers : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"multipliers", "the multiply-accumulate array"};

  /// Cycles the kept products of one instruction keep the array busy. The machine must multiply its
  /// type.
  [[nodiscard]] static Cycles cycles(const TensorCoreConfig& config,
                                     const MmaInstruction& instruction);
};

}  // namespace stcsim
