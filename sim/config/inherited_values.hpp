#pragma once

#include "common/io/yaml_node.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

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
