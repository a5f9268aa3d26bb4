#pragma once

#include <cstdint>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Dense multiply-accumulates of all SMs; 0 if the machine does not multiply the type.
[[nodiscard]] std::int64_t peak_macs_per_clk(const MachineConfig& machine, DataType dtype);

/// Peak of the machine in TFLOP/s (2 FLOP per MAC; dense-equivalent for a sparse pattern).
[[nodiscard]] double peak_tflops(const MachineConfig& machine, DataType dtype, Pattern hardware);

}  // namespace stcsim
