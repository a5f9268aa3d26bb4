#pragma once

#include "common/io/yaml_reader.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// Reads a network (configs/networks/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown or missing keys, keys that do not belong
///         to the layer's type, repeated layer names and impossible layers
[[nodiscard]] Network read_network(MapReader& map);

}  // namespace stcsim
