#pragma once

#include "common/io/yaml_reader.hpp"
#include "workloads/framework.hpp"

namespace stcsim {

/// What runs where a user names no framework.
inline constexpr const char* kDefaultFramework = "pytorch_eager";

/// Reads a framework (configs/frameworks/*.yaml; format: docs/workloads.md).
/// @throws ConfigError with file:line:column for unknown, missing or impossible values
[[nodiscard]] Framework read_framework(MapReader& map);

}  // namespace stcsim
