#include "sim/sweep/sweep_machine.hpp"

#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/field_json.hpp"

namespace stcsim {

const AxisValue& listed_value(const Space& space, const Assignment& values, std::string_view name) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (space.axes[at].name == name) return *values[at];
  }
  throw SimulationError("a point lacks its " + std::string(name));
}

void set_axis_values(YamlNode& node, const Space& space, const Assignment& values,
                     std::string_view root, std::string_view but) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    const Axis& axis = space.axes[at];
    const AxisValuePointer& value = values[at];
    if (value == nullptr || axis.root() != root || axis.key().empty() || axis.key() == but) {
      continue;
    }
    set_value(node, axis.key(), value->node, axis.where);
  }
}

YamlNode MachineMaker::node(const Assignment& values) {
  const AxisValue& listed = listed_value(space_, values, "machine");
  auto file = files_.find(listed.label);
  if (file == files_.end()) {
    file = files_.emplace(listed.label, expand_entry(ConfigKind::machine, listed.node)).first;
  }
  YamlNode node = file->second;
  set_axis_values(node, space_, values, "machine");
  return node;
}

SweepMachine MachineMaker::make(const Assignment& values) {
  YamlNode own = node(values);
  MachineSpec spec = read_machine(own);
  const nlohmann::json json = to_json(spec.config);
  return {std::move(spec), std::move(own), sha256_hex(json.dump())};
}

MachineConfig MachineMaker::config(const Assignment& values) {
  return read_machine(node(values)).config;
}

}  // namespace stcsim
