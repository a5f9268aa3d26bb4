#pragma once

#include "common/io/yaml_reader.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Reads a machine (configs/arch/*.yaml); keys are the field names of MachineConfig, a kernel's
/// tile is [m, n, k] and its warps [m, n]. Calls finish().
/// @throws ConfigError at the value for a machine that cannot exist: see docs/configuration.md
[[nodiscard]] MachineConfig read_machine(MapReader& map);

}  // namespace stcsim
