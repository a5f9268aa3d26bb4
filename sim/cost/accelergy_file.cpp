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
    figure.value = action.get_double("energy", {0, kMostCost});
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
    figure.value = component.get_double("area", {0, kMostCost});
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

bool is_named(const Figure& figure, const std::string& component) {
  return last_part(figure.component) == component || figure.component == component;
}

template <class What>
bool matches(const Figure& figure, const AccelergyLine<What>& wanted) {
  if (!is_named(figure, wanted.component) || figure.action != wanted.action) return false;
  if (wanted.arguments == nullptr) return true;
  const auto& entries = wanted.arguments->entries;
  return std::all_of(entries.begin(), entries.end(), [&](const YamlEntry& argument) {
    return argument_of(figure, argument.key) == argument.value.text;
  });
}

/// Says what the file has instead.
template <class What>
[[noreturn]] void refuse_component(const MapReader& map, const std::vector<Figure>& figures,
                                   const AccelergyLine<What>& wanted) {
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
template <class What>
const Figure& find_figure(const MapReader& map, const std::vector<Figure>& figures,
                          const AccelergyLine<What>& wanted) {
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

/// Adds what the entries of a list of `map` take of the file that `key` names.
template <class What>
void add_named(MapReader& map, const char* key, const char* list,
               const std::vector<AccelergyLine<What>>& lines,
               std::vector<Figure> (*read)(MapReader&), std::vector<CostEntry<What>>& entries) {
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
  const std::vector<MapReader> maps = map.get_maps(list);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const AccelergyLine<What>& line = lines[at];
    add_cost<What>(maps[at], line, find_figure(maps[at], figures, line).value / line.per,
                   fmt::format("{} of {}{}", line.component, file.path.filename().string(),
                               line.per == 1.0 ? "" : fmt::format(", per {}", line.per)),
                   entries);
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

void add_accelergy(MapReader& map, const AccelergyFiles& files, CostTable& table) {
  add_named<Action>(map, "ert", "energy", files.energies, &energies_of, table.energies);
  add_named<Part>(map, "art", "area", files.areas, &areas_of, table.areas);
}

}  // namespace stcsim
