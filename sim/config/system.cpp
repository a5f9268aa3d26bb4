#include "sim/config/system.hpp"

#include "common/io/catalog.hpp"
#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/parallel.hpp"

namespace stcsim {

template <class System>
void SystemEntry<System>::read(MapReader& map, const Field& field) {
  const YamlNode& node = map.get_node(field.key);
  if (!node.is_map()) {
    system = load_system(map.get_string(field.key), node.location);
    return;
  }
  MapReader entry = map.get_map(field.key);
  system = read_fields<SystemConfig>(entry);
}

template <class System>
nlohmann::json SystemEntry<System>::to_json() const {
  return value_to_json(system);
}

template void SystemEntry<SystemConfig>::read(MapReader& map, const Field& field);
template nlohmann::json SystemEntry<SystemConfig>::to_json() const;
template nlohmann::json SystemEntry<const SystemConfig>::to_json() const;

SystemConfig load_system(const std::string& name, const SourceLocation& where) {
  const YamlNode node = load_by_name(ConfigKind::system, name, where);
  MapReader map(node, "");
  SystemConfig system = read_fields<SystemConfig>(map);
  check_file_name(map, system.name);
  return system;
}

}  // namespace stcsim
