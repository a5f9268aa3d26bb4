#include "sim/config/machine_json.hpp"

#include "sim/config/field_json.hpp"

namespace stcsim {

nlohmann::json to_json(const MachineConfig& machine) {
  return fields_to_json(machine);
}

}  // namespace stcsim
