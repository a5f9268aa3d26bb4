#pragma once

#include "models/base/unit_kind.hpp"
#include "models/metadata_buffer/metadata_buffer.hpp"
#include "models/multipliers/multipliers.hpp"
#include "models/operand_selector/operand_selector.hpp"
#include "models/streaming_multiprocessor/streaming_multiprocessor_config.hpp"

namespace stcsim {

/// The tensor core of one sub-core: metadata buffer, operand selector and multipliers, which every
/// instruction passes in this order (a dense one keeps only the multipliers).
struct TensorCore {
  static constexpr UnitKind kKind{"tensor_core", "matrix instructions, dense and sparse"};
  static constexpr Hooks kHooks{
      .visit_children = true, .connect_stages = true, .first_stage = true};

  /// @param config  outlives it
  explicit TensorCore(const StreamingMultiprocessorConfig& config)
      : metadata_buffer(config.operand_selector),
        operand_selector(config.operand_selector, config.tensor_core),
        multipliers(config.tensor_core) {}

  MetadataBuffer metadata_buffer;
  OperandSelector operand_selector;
  Multipliers multipliers;
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("metadata_buffer", metadata_buffer);
    visitor.child("operand_selector", operand_selector);
    visitor.child("multipliers", multipliers);
  }
  template <class Wires>
  void connect_stages(Wires& wires) {
    wires.connect(metadata_buffer.next, operand_selector);
    wires.connect(operand_selector.next, multipliers);
  }
};

[[nodiscard]] inline PipelineStage& first_stage(TensorCore& tensor_core) {
  return tensor_core.metadata_buffer;
}

}  // namespace stcsim
