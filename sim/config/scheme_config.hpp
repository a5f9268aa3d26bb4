#pragma once

#include "common/io/yaml_reader.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Reads a scheme (configs/schemes/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown, missing or impossible values
[[nodiscard]] Scheme read_scheme(MapReader& map);

}  // namespace stcsim
