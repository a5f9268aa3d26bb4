#pragma once

#include <string>
#include <vector>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Dense, and the patterns of a type that the machine runs sparse, that none of its own kernels
/// fits: MachineConfig::fallback_kernels stand in.
[[nodiscard]] std::vector<Pattern> patterns_without_kernels(const MachineConfig& machine,
                                                            DataType dtype);

/// A line that says so of a stack that takes the machine's own kernels; "" if there are none.
[[nodiscard]] std::string fallback_note(const MachineConfig& machine, const std::string& stack,
                                        DataType dtype);

}  // namespace stcsim
