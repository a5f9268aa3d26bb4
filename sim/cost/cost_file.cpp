#include <algorithm>

#include "common/io/catalog.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/cost/cost_entries.hpp"
#include "sim/cost/cost_table.hpp"

namespace stcsim {
namespace {

template <class What>
void add_costs(MapReader& map, const char* key, const std::vector<CostLine<What>>& lines,
               std::vector<CostEntry<What>>& entries) {
  if (lines.empty()) return;
  const std::vector<MapReader> maps = map.get_maps(key);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    add_cost<What>(maps[at], lines[at], entries);
  }
}

void require_multiplications(const MapReader& map, const CostTable& table) {
  if (table.basis == CostBasis::board) return;
  const auto is_mac = [](const ActionEnergy& one) { return one.what == Action::mac; };
  if (table.energies.empty() && !table.areas.empty()) return;
  if (std::any_of(table.energies.begin(), table.energies.end(), is_mac)) return;
  map.fail("energy", "'energy' has no 'multipliers' 'mac', must have one");
}

CostTable read_costs(MapReader& map) {
  const auto file = read_fields<CostFile>(map);
  CostTable table{file.name, file.description, file.node_nm, file.basis, {}, {}};
  if (map.has("energy") && table.basis == CostBasis::board) {
    map.fail("energy", "'energy' has no effect: the machine's 'power' says what its board draws");
  }
  add_costs(map, "energy", file.energies, table.energies);
  add_costs(map, "area", file.areas, table.areas);
  require_multiplications(map, table);
  return table;
}

}  // namespace

CostTable load_costs(const std::string& name) {
  const std::filesystem::path path = resolve_config(ConfigKind::cost, name, {});
  const YamlNode root = load_config(ConfigKind::cost, path).root;
  MapReader map(root, "");
  CostTable table = read_costs(map);
  table.file = path.string();
  return table;
}

}  // namespace stcsim
