#pragma once

#include <string>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// How a machine treats a tensor with some n:m pattern.
struct SparsitySupport {
  /// The native pattern it runs as: of those it fits inside, the one that saves most. Dense if
  /// none.
  Pattern hardware = kDense;
  /// Why it runs dense, or that the hardware gains less than the pattern allows; "" otherwise.
  std::string reason;
};

[[nodiscard]] SparsitySupport sparsity_support(const MachineConfig& machine, DataType dtype,
                                               Pattern pattern);

}  // namespace stcsim
