#pragma once

#include <nlohmann/json.hpp>

#include "sim/config/machine.hpp"

namespace stcsim {

/// The machine in the format read_machine() reads, every key written out, keys sorted.
[[nodiscard]] nlohmann::json to_json(const MachineConfig& machine);

}  // namespace stcsim
