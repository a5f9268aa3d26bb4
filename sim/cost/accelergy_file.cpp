#include "sim/cost/accelergy_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/catalog.hpp"
#include "common/io/suggestion.hpp"
#include "sim/cost/cost_entries.hpp"

namespace stcsim {
namespace {

/// A figure of a reference table; areas have no action.
struct Figure {
  std::string component;
  std::string action;
  const YamlNode* arguments = nullptr;
  double value = 0;
  SourceLocation where;
};

/// "top.core.SMEM" of "top.core[0..3].SMEM[1..1]".
std::string without_brackets(const std::string& name) {
  std::string plain;
  bool is_inside = false;
  for (const char letter : name) {
    is_inside = is_inside || letter == '[';
    if (!is_inside) plain += letter;
    if (letter == ']') is_inside = false;
  }
  return plain;
}

/// Its last part: "SMEM".
std::string last_part(const std::string& name) {
  const std::string plain = without_brackets(name);
  return plain.substr(plain.rfind('.') + 1);
}

/// The part before that: "core".
std::string part_before(const std::string& name) {
  const std::string plain = without_brackets(name);
  const std::size_t dot = plain.rfind('.');
  return dot == std::string::npos ? "" : last_part(plain.substr(0, dot));
}

std::vector<MapReader> tables_of(MapReader& document, std::string_view key) {
  MapReader table = document.get_map(key);
  static_cast<void>(table.has("version"));
  std::vector<MapReader> tables = table.get_maps("tables");
  table.finish();
  return tables;
}

void add_actions(MapReader& component, const std::string& name, std::vector<Figure>& figures) {
  for (MapReader& action : component.get_maps("actions")) {
    Figure figure;
    figure.component = name;
    figure.action = action.get_string("name");
    if (action.has("arguments")) figure.arguments = &action.get_node("arguments");
    figure.value = action.get_double("energy", kCosts);
    figure.where = action.location();
    action.finish();
    figures.push_back(std::move(figure));
  }
}

std::vector<Figure> energies_of(MapReader& document) {
  std::vector<Figure> figures;
  for (MapReader& component : tables_of(document, "ERT")) {
    const std::string name = component.get_string("name");
    add_actions(component, name, figures);
    component.finish();
  }
  return figures;
}

std::vector<Figure> areas_of(MapReader& document) {
  std::vector<Figure> figures;
  for (MapReader& component : tables_of(document, "ART")) {
    Figure figure;
    figure.component = component.get_string("name");
    figure.value = component.get_double("area", kCosts);
    figure.where = component.location();
    component.finish();
    figures.push_back(std::move(figure));
  }
  return figures;
}

/// An argument's text; "" if there is none of that name.
std::string argument_of(const Figure& figure, std::string_view name) {
  const YamlNode* const value =
      figure.arguments == nullptr ? nullptr : figure.arguments->find(name);
  return value == nullptr ? "" : value->text;
}

template <class What>
CostEntry<What> entry_of(const Figure& figure, const std::string& unit, const std::string& name,
                         const std::string& source) {
  const auto what = find_cost<What>(unit, name);
  if (!what) throw ConfigError(figure.where, unknown_cost<What>(unit, name));
  CostEntry<What> entry{*what, std::nullopt, figure.value, source};
  const std::string dtype = argument_of(figure, "dtype");
  if (!dtype.empty()) entry.dtype = read_dtype(*figure.arguments->find("dtype"), "dtype");
  return entry;
}

/// What a file's map asks for.
struct Wanted {
  std::string component;
  std::string action;
  const YamlNode* arguments = nullptr;
};

bool is_named(const Figure& figure, const std::string& component) {
  return last_part(figure.component) == component || figure.component == component;
}

bool matches(const Figure& figure, const Wanted& wanted) {
  if (!is_named(figure, wanted.component) || figure.action != wanted.action) return false;
  if (wanted.arguments == nullptr) return true;
  const auto& entries = wanted.arguments->entries;
  return std::all_of(entries.begin(), entries.end(), [&](const YamlEntry& argument) {
    return argument_of(figure, argument.key) == argument.value.text;
  });
}

/// Says what the file has instead.
[[noreturn]] void refuse_component(const MapReader& map, const std::vector<Figure>& figures,
                                   const Wanted& wanted) {
  std::vector<std::string> components;
  std::vector<std::string> actions;
  for (const Figure& figure : figures) {
    components.push_back(last_part(figure.component));
    if (is_named(figure, wanted.component)) actions.push_back(figure.action);
  }
  if (actions.empty()) {
    map.fail("component", fmt::format("the file has no '{}'{}", wanted.component,
                                      did_you_mean(wanted.component, components)));
  }
  map.fail("component_action",
           fmt::format("the file's '{}' has no such '{}', must be one of {}", wanted.component,
                       wanted.action, fmt::join(actions, ", ")));
}

/// The only figure of that component and action; several with one value count as one.
const Figure& find_figure(const MapReader& map, const std::vector<Figure>& figures,
                          const Wanted& wanted) {
  const Figure* found = nullptr;
  for (const Figure& figure : figures) {
    if (!matches(figure, wanted)) continue;
    if (found != nullptr && found->value != figure.value) {
      map.fail("component", fmt::format("'{}' has several figures here, must say which by "
                                        "'arguments' or its full name",
                                        wanted.component));
    }
    found = &figure;
  }
  if (found != nullptr) return *found;
  refuse_component(map, figures, wanted);
}

template <class What>
CostEntry<What> read_named(MapReader& map, const std::vector<Figure>& figures,
                           std::string_view what, const std::string& source) {
  const std::string unit = map.get_string("unit");
  const std::string name = map.get_string(what);
  Wanted wanted{map.get_string("component"), "", nullptr};
  if constexpr (std::is_same_v<What, Action>) wanted.action = map.get_string("component_action");
  if (map.has("arguments")) wanted.arguments = &map.get_map("arguments").node();
  CostEntry<What> entry;
  if (map.has("dtype")) entry.dtype = map.get_dtype("dtype");
  const double per = map.get_double_or("per", 1.0, kPositiveCosts);
  map.finish();
  const auto named = find_cost<What>(unit, name);
  if (!named) map.fail(what, unknown_cost<What>(unit, name));
  entry.what = *named;
  entry.value = find_figure(map, figures, wanted).value / per;
  entry.source = fmt::format("{} of {}{}", wanted.component, source,
                             per == 1.0 ? "" : fmt::format(", per {}", per));
  return entry;
}

/// The entries that `list` names of the file that `key` names.
template <class What, class Read>
void read_named_file(MapReader& map, std::string_view key, std::string_view list,
                     std::string_view what, Read read, std::vector<CostEntry<What>>& entries) {
  if (!map.has(key)) return;
  const std::string name = map.get_string(key);
  const SourceLocation where = map.location_of(key);
  const YamlDocument file =
      load_yaml(resolve_config(ConfigKind::cost, name, base_directory(where), where));
  MapReader document(file);
  static_cast<void>(document.has("ERT"));
  static_cast<void>(document.has("ART"));
  const std::vector<Figure> figures = read(document);
  document.finish();
  for (MapReader& entry : map.get_maps(list)) {
    const CostEntry<What> one =
        read_named<What>(entry, figures, what, file.path.filename().string());
    refuse_second(entry, what, entries, one);
    entries.push_back(one);
  }
}

}  // namespace

bool is_accelergy(const YamlNode& root) {
  return root.find("ERT") != nullptr || root.find("ART") != nullptr;
}

CostTable read_accelergy_tables(const YamlNode& root, const std::filesystem::path& path) {
  CostTable table;
  table.name = path.stem().string();
  table.description = "reference tables of Accelergy";
  const std::string source = path.filename().string();
  MapReader document(root, "");
  if (document.has("ERT")) {
    for (const Figure& figure : energies_of(document)) {
      table.energies.push_back(
          entry_of<Action>(figure, last_part(figure.component), figure.action, source));
    }
  }
  if (document.has("ART")) {
    for (const Figure& figure : areas_of(document)) {
      table.areas.push_back(entry_of<Part>(figure, part_before(figure.component),
                                           last_part(figure.component), source));
    }
  }
  document.finish();
  return table;
}

void read_accelergy(MapReader& map, CostTable& table) {
  read_named_file<Action>(map, "ert", "energy", "action", energies_of, table.energies);
  read_named_file<Part>(map, "art", "area", "part", areas_of, table.areas);
  map.finish();
}

}  // namespace stcsim
