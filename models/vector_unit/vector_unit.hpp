#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/base/pipeline_stage.hpp"
#include "models/base/unit_kind.hpp"

namespace stcsim {

/// The vector (non-tensor) lanes of one sub-core: an instruction does one operation for each of a
/// warp's threads.
class VectorUnit final : public PipelineStage {
 public:
  static constexpr UnitKind kKind{"vector_unit", "lanes for other than matrix instructions"};

  /// @param lanes  operations per clk
  explicit VectorUnit(std::int64_t lanes) : lanes_(lanes) {}

  /// Cycles one instruction keeps the lanes.
  [[nodiscard]] static Cycles cycles(std::int64_t lanes) { return cycles_for(kWarpThreads, lanes); }

 private:
  [[nodiscard]] Cycles own_cycles(const WarpProgram& program) override {
    return program.instruction ? Cycles() : cycles(lanes_);
  }

  std::int64_t lanes_;
};

}  // namespace stcsim
