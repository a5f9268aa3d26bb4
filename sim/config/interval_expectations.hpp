#pragma once

#include "common/io/yaml_node.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {

/// Compares the measured issue intervals that a machine file states with those its hardware comes
/// to. Where both stand in the same file they must agree within 3 %. Where something an interval
/// depends on comes from elsewhere (a file that extends this one, --set, a sweep), it was measured
/// on other hardware: it is taken out of the configuration, and a note says so.
/// @param root  of the file the machine was read from
/// @throws ConfigError at the interval
void check_interval_expectations(const YamlNode& root, MachineConfig& machine);

}  // namespace stcsim
