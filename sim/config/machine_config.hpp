#pragma once

#include "common/io/yaml_reader.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Reads a machine (configs/arch/*.yaml); keys are the field names of MachineConfig, a kernel's
/// tile is [m, n, k] and its warps [m, n]. Calls finish().
/// @throws ConfigError at the value for a machine that cannot exist: see docs/configuration.md
[[nodiscard]] MachineConfig read_machine(MapReader& map);

/// Checks what the hardware's numbers demand of each other. `map` is what `config` was read from. A
/// tensor core has an entry for each data type, at least one dense instruction per type, and no
/// instruction faster than its type's multipliers.
/// @throws ConfigError at the value that is impossible, with what would be right
void check_accelerator(MapReader& map, const AcceleratorConfig& config);

/// Compares the measured issue intervals that a machine file states with those its hardware comes
/// to: they must agree within 3 %. An interval binds the file that states it. Where any key of the
/// operand selector, the operand fetch or the tensor core comes from elsewhere (a file that extends
/// this one, --set, a sweep), it is taken out of the configuration.
/// @param root  of the file the machine was read from
/// @throws ConfigError at the interval
void check_interval_expectations(const YamlNode& root, MachineConfig& machine);

/// Takes the default for `max_bytes_per_cta` where that was stated for another capacity: in a file
/// whose `capacity_bytes` or `reserved_bytes_per_cta` a file that extends it, or --set, has
/// changed.
/// @param root  what the machine was read from
void settle_shared_memory(const YamlNode& root, MachineConfig& machine);

/// Sets stacks aside (MachineConfig::other_stacks) that were written for other hardware: the file
/// that states them has other patterns, another selector, other instructions, operand fetch, shared
/// memory, registers or warps. A note says so.
void set_other_stacks_aside(const YamlNode& root, MachineConfig& machine);

}  // namespace stcsim
