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
#include "sim/config/framework_config.hpp"
#include "sim/config/machine_config.hpp"
#include "sim/config/machine_json.hpp"
#include "sim/config/network_config.hpp"
#include "sim/config/scheme_config.hpp"
#include "sim/config/workload_json.hpp"
#include "sim/config/workload_names.hpp"

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

/// Replaces the framework's name by what it stands for; the default if there is none. A map without
/// a name changes the default.
void expand_framework(YamlNode& experiment) {
  YamlNode* const named = experiment.find("framework");
  const bool has_name = named != nullptr && (!named->is_map() || named->find("name") != nullptr ||
                                             named->find("extends") != nullptr);
  if (has_name) {
    *named = expand_entry(ConfigKind::framework, *named);
    return;
  }
  YamlNode framework = load_by_name(ConfigKind::framework, kDefaultFramework);
  if (named != nullptr) {
    merge_over(framework, *named);
    *named = std::move(framework);
  } else {
    experiment.entries.push_back({"framework", {}, std::move(framework)});
  }
}

MachineSpec read_machine_spec(MapReader& map) {
  MachineConfig config = read_machine(map);
  std::string name = config.name;
  return {std::move(name), std::move(config)};
}

/// Reads the expanded entries of one list; names must differ.
template <class Value>
std::vector<Value> read_entries(MapReader& map, const char* key, Value (*read)(MapReader&)) {
  std::vector<Value> values;
  for (const YamlNode& item : map.get_list(key)) {
    MapReader entry(item, "");
    Value value = read(entry);
    const auto same = [&value](const Value& other) { return other.name == value.name; };
    if (std::any_of(values.begin(), values.end(), same)) {
      entry.fail("name", fmt::format("'{}' is in '{}' twice, must have a name of its own",
                                     value.name, key));
    }
    values.push_back(std::move(value));
  }
  if (values.empty()) map.fail(key, fmt::format("'{}' is an empty list, must name one", key));
  return values;
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

void read_phases(MapReader& map, Experiment& experiment) {
  experiment.phases.assign(kPhases.begin(), kPhases.end());
  if (!map.has("phases")) return;
  experiment.phases.clear();
  for (const YamlNode& item : map.get_list("phases")) {
    const std::optional<Phase> phase = read_phase(item);
    std::vector<Phase>& phases = experiment.phases;
    const bool is_known = phase ? std::find(phases.begin(), phases.end(), *phase) != phases.end()
                                : experiment.inference;
    if (is_known) {
      map.fail("phases",
               fmt::format("'phases' has '{}' twice", phase ? to_string(*phase) : kInferenceName));
    }
    if (phase) phases.push_back(*phase);
    if (!phase) experiment.inference = true;
  }
  if (!experiment.inference && experiment.phases.empty()) {
    map.fail("phases", "'phases' is an empty list, must name one");
  }
}

/// Every key written out, keys sorted.
std::string resolve(const Experiment& experiment) {
  nlohmann::json json{{"dtype", to_string(experiment.dtype)},
                      {"framework", to_json(experiment.framework)},
                      {"functional", experiment.functional},
                      {"kernel", experiment.kernel},
                      {"scheme_work", experiment.scheme_work},
                      {"stream_kernels", experiment.stream_kernels},
                      {"pruning_kernels", to_string(experiment.pruning_kernels)}};
  if (experiment.kernel_candidates) json["kernel_candidates"] = *experiment.kernel_candidates;
  if (!experiment.stack.empty()) json["stack"] = experiment.stack;
  if (experiment.clock_mhz) json["clock_mhz"] = *experiment.clock_mhz;
  if (experiment.sampled) json["sampled"] = true;
  json["sparse_where"] = to_string(experiment.where);
  for (const MachineSpec& machine : experiment.machines) {
    json["machines"].push_back(to_json(machine.config));
  }
  for (const Network& network : experiment.networks) json["networks"].push_back(to_json(network));
  for (const Phase phase : experiment.phases) json["phases"].push_back(to_string(phase));
  if (experiment.inference) json["phases"].push_back(kInferenceName);
  for (const Scheme& scheme : experiment.schemes) json["schemes"].push_back(to_json(scheme));
  return json.dump();
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

Experiment read_experiment(const YamlDocument& document) {
  MapReader map(document);
  Experiment experiment;
  (void)map.get_string_or("description", "");
  experiment.machines = read_entries(map, "machines", &read_machine_spec);
  experiment.networks = read_entries(map, "networks", &read_network);
  read_phases(map, experiment);
  experiment.schemes = read_entries(map, "schemes", &read_scheme);
  MapReader framework(map.get_node("framework"), "");
  experiment.framework = read_framework(framework);
  experiment.pruning_kernels = map.get_enum_or(
      "pruning_kernels", experiment.framework.pruning_kernels, names_until(PruningKernels::fused));
  experiment.dtype = map.get_dtype_or("dtype", experiment.dtype);
  experiment.kernel = map.get_string_or("kernel", experiment.kernel);
  if (map.has("kernel_candidates")) {
    experiment.kernel_candidates = map.get_int("kernel_candidates", {1, 1000});
  }
  experiment.stack = map.get_string_or("stack", experiment.stack);
  if (map.has("clock_mhz"))
    experiment.clock_mhz = map.get_double("clock_mhz", {1.0, MachineConfig::kMostMhz});
  experiment.stream_kernels = map.get_bool_or("stream_kernels", experiment.stream_kernels);
  experiment.functional = map.get_bool_or("functional", experiment.functional);
  experiment.sampled = map.get_bool_or("sampled", experiment.sampled);
  experiment.scheme_work = map.get_bool_or("scheme_work", experiment.scheme_work);
  experiment.where =
      map.get_enum_or("sparse_where", SparseWhere::faster, names_until(SparseWhere::faster));
  static_cast<void>(map.has(kTimeToAccuracyKey));  // read by whoever asks for it
  static_cast<void>(map.has(kTrainingKey));        // read by whoever asks for it
  map.finish();
  settle_choice(map, experiment);
  check_experiment(map, experiment);
  experiment.resolved_config = resolve(experiment);
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
