#include "sim/cost/cost_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "common/io/catalog.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/cost/accelergy_file.hpp"
#include "sim/cost/cost_entries.hpp"

namespace stcsim {
namespace {

constexpr IntRange kNodes{.min = 1, .max = 1000};
constexpr std::array<std::pair<std::string_view, CostBasis>, 2> kBases{
    {{"own", CostBasis::own}, {"board", CostBasis::board}}};

template <class What>
CostEntry<What> read_entry(MapReader& map, std::string_view what, std::string_view value) {
  const std::string unit = map.get_string("unit");
  const std::string name = map.get_string(what);
  CostEntry<What> entry;
  if (map.has("dtype")) entry.dtype = map.get_dtype("dtype");
  entry.value = map.get_double(value, kCosts);
  entry.source = map.get_string("source");
  map.finish();
  const auto named = find_cost<What>(unit, name);
  if (!named) map.fail(what, unknown_cost<What>(unit, name));
  entry.what = *named;
  return entry;
}

void read_energies(MapReader& map, CostTable& table) {
  if (!map.has("energy")) return;
  if (table.basis == CostBasis::board) {
    map.fail("energy", "'energy' has no effect: the machine's 'power' says what its board draws");
  }
  for (MapReader& entry : map.get_maps("energy")) {
    const ActionEnergy energy = read_entry<Action>(entry, "action", "pj");
    refuse_second(entry, "action", table.energies, energy);
    table.energies.push_back(energy);
  }
}

void read_areas(MapReader& map, CostTable& table) {
  if (!map.has("area")) return;
  for (MapReader& entry : map.get_maps("area")) {
    const PartArea area = read_entry<Part>(entry, "part", "um2");
    refuse_second(entry, "part", table.areas, area);
    table.areas.push_back(area);
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
  CostTable table;
  table.name = map.get_string("name");
  table.description = map.get_string_or("description", "");
  table.node_nm = map.has("node_nm") ? map.get_int("node_nm", kNodes) : 0;
  table.basis = map.get_enum_or("basis", CostBasis::own, kBases);
  read_energies(map, table);
  read_areas(map, table);
  if (map.has("accelergy")) {
    MapReader accelergy = map.get_map("accelergy");
    read_accelergy(accelergy, table);
  }
  map.finish();
  require_multiplications(map, table);
  return table;
}

}  // namespace

CostTable load_costs(const std::string& name) {
  const std::filesystem::path path = resolve_config(ConfigKind::cost, name, {});
  const YamlNode root = load_config(ConfigKind::cost, path).root;
  if (is_accelergy(root)) return read_accelergy_tables(root, path);
  MapReader map(root, "");
  return read_costs(map);
}

}  // namespace stcsim
