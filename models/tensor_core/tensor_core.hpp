#pragma once

#include "models/base/unit_kind.hpp"
#include "models/metadata_buffer/metadata_buffer.hpp"
#include "models/multipliers/multipliers.hpp"
#include "models/operand_selector/operand_selector.hpp"

namespace stcsim {

/// The tensor core of one sub-core: metadata buffer, operand selector and multipliers, which every
/// instruction passes in this order (a dense one only the multipliers).
struct TensorCore {
  static constexpr UnitKind kKind{"tensor_core", "matrix instructions, dense and sparse"};

  MetadataBuffer metadata_buffer;
  OperandSelector operand_selector;
  Multipliers multipliers;
  template <class Visitor>
  void visit_children(Visitor& visitor) {
    visitor.child("metadata_buffer", metadata_buffer);
    visitor.child("operand_selector", operand_selector);
    visitor.child("multipliers", multipliers);
  }
};

}  // namespace stcsim
