#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Models that need no simulator, to hold simulated times against. Microseconds, without launching.
/// They multiply and move only the selected columns of a pattern V:2:m.

/// The longer of the time of the multiplications at peak rate and that of the operands and C over
/// the DRAM interface, each once.
[[nodiscard]] double roofline_us(const GemmProblem& asked, const MachineConfig& machine);

/// The same, but the multiplications come in whole tiles of kPlainTile x kPlainTile of C, one per
/// SM at a time at its peak rate, and a wave of tiles that does not fill the machine takes as long
/// as one that does.
[[nodiscard]] double tile_model_us(const GemmProblem& asked, const MachineConfig& machine);
inline constexpr std::int64_t kPlainTile = 128;

}  // namespace stcsim
