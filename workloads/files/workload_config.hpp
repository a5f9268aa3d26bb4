#pragma once

#include "common/io/yaml_reader.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Reads a network (configs/networks/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown or missing keys, keys that do not belong
///         to the layer's type, repeated layer names and impossible layers
[[nodiscard]] Network read_network(MapReader& map);

/// Reads a scheme (configs/schemes/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown, missing or impossible values
[[nodiscard]] Scheme read_scheme(MapReader& map);

/// What runs where a user names no framework.
inline constexpr const char* kDefaultFramework = "pytorch_2_eager";

/// Reads a framework (configs/frameworks/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown, missing or impossible values
[[nodiscard]] Framework read_framework(MapReader& map);

}  // namespace stcsim
