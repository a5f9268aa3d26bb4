#include "sim/cost/cost_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/catalog.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace {

/// The entry of that type, else the one of all types.
template <class What>
std::optional<double> value_of(const std::vector<CostEntry<What>>& entries, What what,
                               std::optional<DataType> dtype) {
  const CostName<What>& called = name_of(what);
  std::optional<double> of_all;
  for (const CostEntry<What>& entry : entries) {
    if (entry.unit != called.unit || entry.name != called.name) continue;
    if (entry.dtype == dtype) return entry.value;
    if (!entry.dtype) of_all = entry.value;
  }
  return of_all;
}

/// What is wrong with an entry's names, with the nearest there are; "" if nothing is.
template <class What, std::size_t kCount>
std::string refusal(const CostEntry<What>& entry, const std::array<CostName<What>, kCount>& known) {
  std::vector<std::string> units;
  std::vector<std::string> of_unit;
  for (const CostName<What>& one : known) {
    if (units.empty() || units.back() != one.unit) units.emplace_back(one.unit);
    if (one.unit == entry.unit) of_unit.emplace_back(one.name);
  }
  if (of_unit.empty()) {
    return fmt::format("unknown unit '{}', must be one of {}{}", entry.unit, fmt::join(units, ", "),
                       did_you_mean(entry.unit, units));
  }
  if (std::ranges::find(of_unit, entry.name) != of_unit.end()) return "";
  return fmt::format("'{}' has no '{}', must be one of {}{}", entry.unit, entry.name,
                     fmt::join(of_unit, ", "), did_you_mean(entry.name, of_unit));
}

/// @throws ConfigError at an entry of no action or part, or of one that has a figure already
template <class What, std::size_t kCount>
void check(MapReader& map, const char* key, const std::vector<CostEntry<What>>& entries,
           const std::array<CostName<What>, kCount>& known) {
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const CostEntry<What>& entry = entries[at];
    std::string wrong = refusal(entry, known);
    const auto is_same = [&](const CostEntry<What>& other) {
      return other.unit == entry.unit && other.name == entry.name && other.dtype == entry.dtype;
    };
    const auto first = std::ranges::find_if(entries, is_same);
    if (wrong.empty() && first - entries.begin() < static_cast<std::ptrdiff_t>(at)) {
      wrong = fmt::format("{} {} is here a second time", entry.unit, entry.name);
    }
    if (!wrong.empty()) map.get_maps(key)[at].fail(kWhatKey<What>, wrong);
  }
}

}  // namespace

const std::array<CostName<Action>, kActionCount> kActionNames{{
    {Action::mac, "multipliers", "mac", "a multiply-accumulate"},
    {Action::idle_mac, "multipliers", "idle", "a multiplier that has nothing to do, a cycle"},
    {Action::selector_mux, "operand_selector", "mux",
     "a 2-input multiplexer of one bit that a value passes; a register of its stages is two"},
    {Action::metadata_byte, "metadata_buffer", "byte", "a byte of metadata, filled in"},
    {Action::decode, "metadata_buffer", "decode", "the position of a kept value, decoded"},
    {Action::register_byte, "register_file", "byte", "a byte of A, B or metadata, read"},
    {Action::accumulator_byte, "register_file", "accumulator_byte",
     "a byte of accumulators, read or written"},
    {Action::shared_read_byte, "shared_memory", "read_byte", "a byte read"},
    {Action::shared_write_byte, "shared_memory", "write_byte", "a byte written"},
    {Action::bus_byte, "memory_bus", "byte", "a byte between the SMs and the L2 cache"},
    {Action::l2_read_byte, "l2_cache", "read_byte", "a byte read"},
    {Action::l2_write_byte, "l2_cache", "write_byte", "a byte written"},
    {Action::stored_byte, "epilogue", "byte", "a byte of results, converted and stored"},
    {Action::dram_read_byte, "dram", "read_byte", "a byte read"},
    {Action::dram_write_byte, "dram", "write_byte", "a byte written"},
    {Action::sm_cycle, "static", "sm_cycle", "leakage and what is drawn idle, an SM and a cycle"},
}};

const std::array<CostName<Part>, kPartCount> kPartNames{{
    {Part::multiplier, "multipliers", "mac", "a multiplier with its adder"},
    {Part::selector_mux, "operand_selector", "mux", "a 2-input multiplexer of one bit"},
    {Part::selector_port_byte, "operand_selector", "port_byte",
     "a byte/clk of its input, or into the registers of a stage"},
    {Part::metadata_byte, "metadata_buffer", "byte", "a byte it holds"},
    {Part::register_byte, "register_file", "byte", "a byte it holds"},
    {Part::register_port_byte, "register_file", "port_byte", "a byte/clk to or from tensor cores"},
    {Part::vector_lane, "vector_unit", "lane", "a lane"},
    {Part::sub_core, "sub_core", "control", "fetch, decode and schedule of one sub-core"},
    {Part::shared_byte, "shared_memory", "byte", "a byte it holds"},
    {Part::shared_port_byte, "shared_memory", "port_byte", "a byte/clk of its ports"},
    {Part::bus_port_byte, "memory_bus", "port_byte", "a byte/clk of an SM's port"},
    {Part::l2_byte, "l2_cache", "byte", "a byte it holds"},
    {Part::l2_port_byte, "l2_cache", "port_byte", "a byte/clk of its slices"},
    {Part::dram_gb_per_s, "dram", "gb_per_s", "10^9 bytes/s of its interface"},
}};

const CostName<Action>& name_of(Action action) {
  return kActionNames.at(static_cast<std::size_t>(action));
}

const CostName<Part>& name_of(Part part) {
  return kPartNames.at(static_cast<std::size_t>(part));
}

std::optional<double> CostTable::picojoules(Action action, DataType dtype) const {
  return value_of(energies, action, dtype);
}

std::optional<double> CostTable::square_micrometres(Part part,
                                                    std::optional<DataType> dtype) const {
  return value_of(areas, part, dtype);
}

CostTable load_costs(const std::string& name) {
  const std::filesystem::path path = resolve_config(ConfigKind::cost, name, {});
  const YamlNode root = load_config(ConfigKind::cost, path).root;
  MapReader map(root, "");
  auto table = read_fields<CostTable>(map);
  table.file = path.string();
  const bool is_own = table.basis == CostBasis::own;
  if (map.has("energy") && !is_own) {
    map.fail("energy", "'energy' has no effect: the machine's 'power' says what its board draws");
  }
  check(map, "energy", table.energies, kActionNames);
  check(map, "area", table.areas, kPartNames);
  const bool has_only_areas = table.energies.empty() && !table.areas.empty();
  if (is_own && !has_only_areas &&
      std::ranges::find(table.energies, "mac", &CostEntry<Action>::name) == table.energies.end()) {
    map.fail("energy", "'energy' has no 'multipliers' 'mac', must have one");
  }
  return table;
}

}  // namespace stcsim
