#pragma once

#include "models/metadata_buffer/metadata_buffer.hpp"
#include "models/multipliers/multipliers.hpp"
#include "models/operand_selector/operand_selector.hpp"

namespace stcsim {

/// The tensor core of one sub-core: metadata buffer, operand selector and multipliers, which every
/// instruction passes in this order (a dense one only the multipliers).
struct TensorCore {
  MetadataBuffer metadata_buffer;
  OperandSelector operand_selector;
  Multipliers multipliers;
};

}  // namespace stcsim
