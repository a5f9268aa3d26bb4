#pragma once

#include "common/io/yaml_reader.hpp"
#include "models/accelerator/accelerator_config.hpp"

namespace stcsim {

/// Checks what the hardware's numbers demand of each other. `map` is what `config` was read from.
/// @throws ConfigError at the value that is impossible, with what would be right
void check_accelerator(MapReader& map, const AcceleratorConfig& config);

/// The same for a tensor core: an entry for each data type, at least one dense instruction per
/// type, and no instruction faster than its type's multipliers.
void check_tensor_core(MapReader& map, const TensorCoreConfig& config);

}  // namespace stcsim
