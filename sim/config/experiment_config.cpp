#include "sim/config/experiment_config.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/sha256.hpp"
#include "common/io/suggestion.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/config/experiment_checks.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/field_json.hpp"
#include "sim/config/field_reader.hpp"
#include "sim/config/framework_config.hpp"
#include "sim/config/machine_config.hpp"
#include "sim/config/network_config.hpp"
#include "sim/config/scheme_config.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<const char*, ConfigKind>, 3> kLists{{
    {"machines", ConfigKind::machine},
    {"networks", ConfigKind::network},
    {"schemes", ConfigKind::scheme},
}};

/// Replaces every entry of the three lists by what it stands for; what is no list is left to the
/// reader to refuse.
void expand_lists(YamlNode& experiment) {
  for (const auto& [key, kind] : kLists) {
    YamlNode* const list = experiment.find(key);
    if (list == nullptr) continue;
    for (YamlNode& item : list->items) item = expand_entry(kind, item);
  }
}

/// Replaces the framework's entry by what it stands for; the default if there is none.
void expand_framework(YamlNode& experiment) {
  YamlNode* const named = experiment.find("framework");
  if (named != nullptr) {
    *named = expand_entry(ConfigKind::framework, *named);
  } else {
    experiment.entries.push_back(
        {"framework", {}, load_by_name(ConfigKind::framework, kDefaultFramework)});
  }
}

MachineSpec read_machine_spec(MapReader& map) {
  MachineConfig config = read_machine(map);
  std::string name = config.name;
  return {std::move(name), std::move(config)};
}

void read_entry(MapReader& map, MachineSpec& machine) {
  machine = read_machine_spec(map);
}
void read_entry(MapReader& map, Network& network) {
  network = read_network(map);
}
void read_entry(MapReader& map, Scheme& scheme) {
  scheme = read_scheme(map);
}

template <class Value>
void read_entries(MapReader& map, std::string_view key, std::vector<Value>& values) {
  for (const YamlNode& item : map.get_list(key)) {
    MapReader entry(item, "");
    Value value;
    read_entry(entry, value);
    const auto same = [&value](const Value& other) { return other.name == value.name; };
    if (std::any_of(values.begin(), values.end(), same)) {
      entry.fail("name", fmt::format("'{}' is in '{}' twice, must have a name of its own",
                                     value.name, key));
    }
    values.push_back(std::move(value));
  }
  if (values.empty()) map.fail(key, fmt::format("'{}' is an empty list, must name one", key));
}
void read_entries(MapReader& map, std::string_view key, Framework& framework) {
  MapReader entry(map.get_node(key), "");
  framework = read_framework(entry);
}

/// The phase that an item of the list names; nothing for the pass after training.
std::optional<Phase> read_phase(const YamlNode& item) {
  const std::string name = read_string(item, "phases");
  const std::optional<Phase> phase = phase_from_string(name);
  if (phase || same_but_case(name, kInferenceName)) return phase;
  std::vector<std::string> names{std::string(kInferenceName)};
  for (const auto& [known, value] : kPhaseNames) names.emplace_back(known);
  throw ConfigError(item.location,
                    fmt::format("'phases' has '{}', must be forward, dgrad, wgrad (or fprop, "
                                "backward, update) or inference{}",
                                name, did_you_mean(name, names)));
}

template <class Value>
Value load_one(ConfigKind kind, const std::string& name, const Overrides& overrides,
               Value (*read)(MapReader&)) {
  YamlNode node = load_by_name(kind, name);
  apply_overrides(node, overrides);
  MapReader map(node, "");
  return read(map);
}

}  // namespace

template <class Value>
void Entries<Value>::read(MapReader& map, const Field& field) {
  read_entries(map, field.key, value);
}

template <class Value>
nlohmann::json Entries<Value>::to_json() const {
  return value_to_json(value);
}

template <class Phases, class Flag>
void PhaseNames<Phases, Flag>::read(MapReader& map, const Field& field) {
  phases.clear();
  for (const YamlNode& item : map.get_list(field.key)) {
    const std::optional<Phase> phase = read_phase(item);
    const bool is_known = phase ? std::ranges::find(phases, *phase) != phases.end() : inference;
    if (is_known) {
      map.fail(field.key,
               fmt::format("'phases' has '{}' twice", phase ? to_string(*phase) : kInferenceName));
    }
    if (phase) phases.push_back(*phase);
    if (!phase) inference = true;
  }
  if (!inference && phases.empty()) {
    map.fail(field.key, "'phases' is an empty list, must name one");
  }
}

template <class Phases, class Flag>
nlohmann::json PhaseNames<Phases, Flag>::to_json() const {
  nlohmann::json names = value_to_json(phases);
  if (inference) names.push_back(kInferenceName);
  return names;
}

Experiment read_experiment(const YamlDocument& document) {
  MapReader map(document);
  Experiment experiment = read_fields<Experiment>(map);
  if (!map.has("phases")) experiment.phases.assign(kPhases.begin(), kPhases.end());
  settle_choice(map, experiment);
  check_experiment(map, experiment);
  experiment.resolved_config = to_json(experiment).dump();
  experiment.config_hash = sha256_hex(experiment.resolved_config);
  return experiment;
}

Experiment load_experiment(const std::filesystem::path& path, const Overrides& overrides) {
  return load_experiment(load_config(ConfigKind::experiment, path), overrides);
}

Experiment load_experiment(YamlDocument document, const Overrides& overrides) {
  apply_overrides(document.root, overrides);
  expand_lists(document.root);
  expand_framework(document.root);
  return read_experiment(document);
}

Experiment parse_resolved_experiment(const std::string& json, const std::string& origin) {
  return read_experiment(parse_yaml(json, origin));
}

MachineSpec load_machine(const std::string& name, const Overrides& overrides) {
  return load_one(ConfigKind::machine, name, overrides, &read_machine_spec);
}

MachineSpec read_machine(const YamlNode& node) {
  MapReader map(node, "");
  return read_machine_spec(map);
}

Network load_network(const std::string& name, const Overrides& overrides) {
  return load_one(ConfigKind::network, name, overrides, &read_network);
}

Scheme load_scheme(const std::string& name, const Overrides& overrides) {
  return load_one(ConfigKind::scheme, name, overrides, &read_scheme);
}

Framework load_framework(const std::string& name, const Overrides& overrides) {
  return load_one(ConfigKind::framework, name, overrides, &read_framework);
}

}  // namespace stcsim
