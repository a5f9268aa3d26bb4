#pragma once

#include <cstdint>

#include "models/base/kernel_launch.hpp"
#include "models/base/pipeline_stage.hpp"

namespace stcsim {

/// The vector (non-tensor) lanes of one sub-core: an instruction does one operation for each of a
/// warp's threads.
class VectorUnit : public PipelineStage {
 public:
  /// Cycles one instruction keeps the lanes.
  [[nodiscard]] static Cycles cycles(std::int64_t lanes) { return cycles_for(kWarpThreads, lanes); }
};

}  // namespace stcsim
