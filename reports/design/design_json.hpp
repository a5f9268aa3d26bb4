#pragma once

#include <string>

#include "sim/design/design.hpp"

namespace stcsim {

/// stcsim.design/1 (docs/configuration.md).
[[nodiscard]] std::string design_to_json(const Design& design);

}  // namespace stcsim
