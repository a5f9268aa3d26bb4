#pragma once

#include "common/io/yaml_node.hpp"
#include "common/io/yaml_reader.hpp"
#include "models/accelerator/accelerator_config.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

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

}  // namespace stcsim
