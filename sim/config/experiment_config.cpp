#include "sim/config/experiment_config.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/field_json.hpp"
#include "common/io/field_reader.hpp"
#include "common/io/sha256.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/kernel_family.hpp"
#include "sim/config/machine.hpp"
#include "sim/config/machine_config.hpp"
#include "workloads/files/workload_config.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::pair<const char*, ConfigKind>, 3> kLists{{
    {"machines", ConfigKind::machine},
    {"networks", ConfigKind::network},
    {"schemes", ConfigKind::scheme},
}};

/// What a network's entry stands for. Whoever names a framework asks for all that it runs, unless
/// the entry itself says that products are all there is.
YamlNode expand_network(const YamlNode& entry, bool names_framework) {
  static constexpr std::string_view kProductsOnly = "products_only";
  YamlNode network = expand_entry(ConfigKind::network, entry);
  if (names_framework && entry.find(kProductsOnly) == nullptr) {
    std::erase_if(network.entries, [](const YamlEntry& one) { return one.key == kProductsOnly; });
  }
  return network;
}

/// Replaces every entry of the three lists by what it stands for; what is no list is left to the
/// reader to refuse.
void expand_lists(YamlNode& experiment) {
  const bool names_framework = experiment.find("framework") != nullptr;
  for (const auto& [key, kind] : kLists) {
    YamlNode* const list = experiment.find(key);
    if (list == nullptr) continue;
    for (YamlNode& item : list->items) {
      item = kind == ConfigKind::network ? expand_network(item, names_framework)
                                         : expand_entry(kind, item);
    }
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

void check_kernel(const MapReader& map, const std::string& kernel, const MachineSpec& machine) {
  if (kernel == "auto" || kernel.starts_with(kMapped)) return;
  std::vector<std::string> names{"auto"};
  for (const KernelConfig& known : all_kernels(machine.config)) names.push_back(known.name);
  if (std::find(names.begin(), names.end(), kernel) != names.end()) return;
  map.fail("kernel", fmt::format("machine '{}' has no kernel '{}', must be auto or one of its "
                                 "'kernels'{}",
                                 machine.name, kernel, did_you_mean(kernel, names)));
}

/// True where only --set states `kernel`, which replaces what the file says of the choice.
bool is_replaced(const MapReader& map, const char* key) {
  return map.location_of("kernel").line == 0 && map.location_of(key).line != 0;
}

void check_choice(const MapReader& map, const std::string& kernel, const char* key) {
  if (is_replaced(map, key)) return;
  map.fail(key, fmt::format("'{}' has no effect with 'kernel: {}', only with 'kernel: auto'; leave "
                            "one of them out",
                            key, kernel));
}

void check_stack(const MapReader& map, const std::string& stack, const MachineSpec& machine) {
  if (stack.empty()) return;
  const std::vector<std::string> names = machine.config.stack_names();
  if (std::find(names.begin(), names.end(), stack) != names.end()) return;
  map.fail("stack", fmt::format("machine '{}' has no stack '{}', must be one of {}{}", machine.name,
                                stack, fmt::join(names, ", "), did_you_mean(stack, names)));
}

void check_dtype(const MapReader& map, DataType dtype, const MachineSpec& machine) {
  if (machine.config.supports(dtype)) return;
  std::vector<std::string_view> names;
  for (const MultiplierRate& rate : machine.config.accelerator.sm.tensor_core.multipliers) {
    names.push_back(to_string(rate.dtype));
  }
  map.fail("dtype", fmt::format("machine '{}' does not multiply {}, must be one of {}",
                                machine.name, to_string(dtype), fmt::join(names, ", ")));
}

/// Of an experiment that names its kernel: how `auto` chooses says nothing then, and is refused;
/// but where only --set names the kernel, it takes the place of what the file says of that.
void settle_choice(const MapReader& map, Experiment& experiment) {
  if (experiment.kernel == "auto") return;
  if (experiment.kernel_candidates) check_choice(map, experiment.kernel, "kernel_candidates");
  if (!experiment.stack.empty()) check_choice(map, experiment.kernel, "stack");
  experiment.kernel_candidates.reset();
  experiment.stack.clear();
}

void check_parallel(const MapReader& map, const Experiment& experiment) {
  const ParallelConfig& parallel = *experiment.parallel;
  for (const Network& network : experiment.networks) {
    if (!network.products_only) continue;
    map.fail("parallel", fmt::format("'{}' is products alone, without gradients that GPUs could "
                                     "add up: name a 'framework' too",
                                     network.name));
  }
  const SystemConfig& system = parallel.system;
  for (const std::int64_t gpus : parallel.gpus) {
    if (system.nodes_of(gpus) == 1 || system.links.between_nodes) continue;
    map.fail("parallel", fmt::format("'gpus' has {}, but system '{}' has one node of {}", gpus,
                                     system.name, system.gpus_per_node));
  }
}

/// Refuses an experiment whose machines cannot run it: an unknown kernel, a data type without
/// multipliers. `map` is the experiment's, for the location.
void check_experiment(const MapReader& map, const Experiment& experiment) {
  if (experiment.sampled && experiment.functional) {
    map.fail("sampled",
             "'sampled' goes without 'functional': every CTA has to be simulated with its "
             "values; must be false");
  }
  if (experiment.parallel) check_parallel(map, experiment);
  for (const MachineSpec& machine : experiment.machines) {
    check_kernel(map, experiment.kernel, machine);
    check_stack(map, experiment.stack, machine);
    check_dtype(map, experiment.dtype, machine);
  }
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
  for (Network& network : experiment.networks) skip_blocks(network, experiment.framework);
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

Experiment parse_resolved_experiment(const std::string& json, const std::string& origin,
                                     const Overrides& overrides) {
  YamlDocument document = parse_yaml(json, origin);
  apply_overrides(document.root, overrides);
  const auto look_up = [](ConfigKind kind, YamlNode& entry) {
    const bool is_name = entry.kind == YamlKind::scalar || entry.find("extends") != nullptr;
    if (is_name) entry = expand_entry(kind, entry);
  };
  for (const auto& [key, kind] : kLists) {
    YamlNode* const list = document.root.find(key);
    if (list == nullptr) continue;
    for (YamlNode& item : list->items) look_up(kind, item);
  }
  YamlNode* const framework = document.root.find("framework");
  if (framework != nullptr) look_up(ConfigKind::framework, *framework);
  return read_experiment(document);
}

MachineSpec load_machine(const std::string& name, const Overrides& overrides) {
  YamlNode node = load_by_name(ConfigKind::machine, name);
  apply_overrides(node, overrides);
  return read_machine(node);
}

MachineSpec read_machine(const YamlNode& node) {
  YamlNode machine = node;
  expand_software(machine);  // what --set may name
  MapReader map(machine, "");
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
