#pragma once

#include <cstdint>

#include "sim/config/machine.hpp"

namespace stcsim {

/// What a machine can say of a published figure.
enum class MachineSort : std::uint8_t {
  built,
  /// Nobody has built it: no library was written for it.
  hypothetical,
  /// The ideal machine, whose times are counts of multiplications.
  counting
};

[[nodiscard]] MachineSort sort_of(const MachineConfig& machine);

}  // namespace stcsim
