#include "cli/run/experiment_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "common/data_type.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "common/suggestion.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/system.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// A scheme's entry: its name, or "sdgp-2:8" as results have it for another pattern.
ordered_json scheme_entry(const std::string& text) {
  if (text.find(':') != std::string::npos && operand_pattern_from_string(text)) {
    throw ConfigError(
        fmt::format("--schemes: '{0}' is a pattern, must be a scheme, which says what "
                    "has it: asp or slope (2:4), or sdgp-{0}",
                    text));
  }
  const std::size_t dash = text.rfind('-');
  if (dash == std::string::npos || dash == 0) return text;
  const std::string pattern = text.substr(dash + 1);
  const bool is_pattern =
      pattern.find(':') != std::string::npos && operand_pattern_from_string(pattern);
  if (!is_pattern) return text;
  return {{"name", text.substr(0, dash)}, {"pattern", pattern}};
}

/// The schemes of --schemes, `all` written out, each once; dense first of all.
std::vector<std::string> schemes_given(const Arguments& arguments) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  const std::vector<std::string> given = comma_list(arguments, kCommon.schemes);
  const auto is_all = [](const std::string& name) { return same_but_case(name, kAllSchemes); };
  if (std::ranges::none_of(given, is_all)) return given;
  add(kBaselineScheme);
  for (const std::string& name : given) {
    if (!is_all(name)) add(name);
  }
  for (const CatalogEntry& entry : list_configs(ConfigKind::scheme)) add(entry.name);
  return names;
}

/// --measured-step in nanoseconds.
std::int64_t measured_ns(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  const std::string text = arguments.text(kExperiment.measured_step);
  for (const auto& [unit, nanoseconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = to_number(std::string_view(text).substr(0, text.size() - unit.size()));
    if (number && *number > 0 && *number * nanoseconds < 1e15) {
      return std::llround(*number * nanoseconds);
    }
  }
  arguments.refuse(kExperiment.measured_step, "a time with its unit, such as 290ms");
}

ordered_json network_entry(const std::string& name, const Arguments& arguments) {
  const ImportOptions options = import_options_of(arguments);
  const bool is_profile = arguments.has(kExperiment.profile);
  const bool is_measured = is_profile || arguments.has(kExperiment.measured_step);
  if (!options.batch && !options.tokens && options.sizes.empty() && !is_measured) return name;
  ordered_json entry{{"name", name}};
  if (is_profile) entry["keeps_times"] = true;
  if (arguments.has(kExperiment.measured_step)) {
    entry["measured_step"]["span_ns"] = measured_ns(arguments);
  }
  if (options.batch) entry["batch"] = *options.batch;
  if (options.tokens) entry["tokens"] = *options.tokens;
  for (const auto& [size, value] : options.sizes) entry["sizes"][size] = value;
  return entry;
}

std::string phase_name(const Arguments& arguments, const std::string& text) {
  if (const auto phase = phase_from_string(text)) return std::string(to_string(*phase));
  if (same_but_case(text, kInferenceName)) return std::string(kInferenceName);
  arguments.refuse(kCommon.phase,
                   "forward, dgrad, wgrad (or fprop, backward, update) or inference, with ',' "
                   "between them");
}

/// Steps on several GPUs of a system.
ordered_json parallel_json(const Arguments& arguments) {
  ordered_json json{{"system", arguments.text(kExperiment.system)}};
  if (arguments.has(kCommon.parallel)) json["sharding"] = arguments.text(kCommon.parallel);
  if (!arguments.has(kExperiment.gpus)) return json;
  for (const std::string& text : comma_list(arguments, kExperiment.gpus)) {
    const std::optional<std::int64_t> gpus = to_whole_number(text);
    if (!gpus || *gpus < 1) {
      arguments.refuse(kExperiment.gpus, "numbers of GPUs with ',' between them");
    }
    json["gpus"].push_back(*gpus);
  }
  return json;
}

/// The experiment as its file would have it.
ordered_json experiment_json(const Arguments& arguments,
                             const std::vector<std::string>& otherwise = {}) {
  ordered_json json;
  const bool is_profile = arguments.has(kExperiment.profile);
  for (const std::string& name :
       comma_list(arguments, is_profile ? kExperiment.profile : kExperiment.network)) {
    json["networks"].push_back(network_entry(name, arguments));
  }
  if (arguments.has(kExperiment.system)) json["parallel"] = parallel_json(arguments);
  if (arguments.has(kCommon.arch) || !arguments.has(kExperiment.system)) {
    json["machines"] = comma_list(arguments, kCommon.arch);
  } else {
    json["machines"] = {load_system(arguments.text(kExperiment.system)).machine};
  }
  for (const Option& option : {kExperiment.gpus, kCommon.parallel}) {
    arguments.allow_only_if(arguments.has(kExperiment.system), option,
                            "has no effect without --system");
  }
  const std::vector<std::string> schemes =
      arguments.has(kCommon.schemes) ? schemes_given(arguments) : otherwise;
  const bool names_dense = std::ranges::find(schemes, kBaselineScheme) != schemes.end();
  const bool lacks_dense =
      (arguments.has(kExperiment.system) || !otherwise.empty()) && !names_dense;
  if (schemes.empty() || lacks_dense) json["schemes"].push_back(kBaselineScheme);
  for (const std::string& name : schemes) json["schemes"].push_back(scheme_entry(name));
  if (arguments.has(kCommon.phase)) {
    for (const std::string& name : comma_list(arguments, kCommon.phase)) {
      json["phases"].push_back(phase_name(arguments, name));
    }
  }
  if (is_profile) json["dtype"] = to_string(DataType::bf16);
  if (arguments.has(kCommon.dtype)) json["dtype"] = to_string(dtype_given(arguments));
  if (is_profile) {
    json["framework"] = "pytorch_2_11_semi_structured";
    json["sparse_where"] = "always";
  }
  if (arguments.has(kExperiment.framework)) {
    json["framework"] = arguments.text(kExperiment.framework);
  }
  if (arguments.has(kCommon.clock)) {
    json["clock_mhz"] = arguments.integer(kCommon.clock, 1, MachineConfig::kMostMhz);
  }
  return json;
}

}  // namespace

void relocate(YamlNode& node, const std::string& option) {
  node.location = {option, 0, 0};
  for (YamlNode& item : node.items) relocate(item, option);
  for (YamlEntry& entry : node.entries) relocate(entry.value, option);
}

void refuse_beside_file(const Arguments& arguments) {
  for (const Option& option : options_of<ExperimentTable>()) {
    arguments.allow_only_if(false, option, "has no effect on an EXPERIMENT: --set replaces values");
  }
}

namespace {

Experiment experiment_without_file(const Arguments& arguments, const Overrides& overrides) {
  const char* const place = arguments.has(kExperiment.profile) ? "--profile" : "--network";
  const std::array<std::pair<std::string_view, const char*>, 7> options{
      {{"machines", "--arch"},
       {"networks", place},
       {"schemes", "--schemes"},
       {"phases", "--phase"},
       {"dtype", "--dtype"},
       {"framework", "--framework"},
       {"parallel", "--system"}}};
  YamlDocument document = parse_yaml(experiment_json(arguments).dump(), place);
  relocate(document.root, place);
  for (const auto& [key, option] : options) {
    if (YamlNode* const node = document.root.find(key)) relocate(*node, option);
  }
  return load_experiment(std::move(document), overrides);
}

/// Measured times are those of one card.
void check_card(const Experiment& experiment) {
  const Network& network = experiment.networks.front();
  if (!network.measured_step) {
    throw ConfigError("--profile: " + network.name +
                      " is a network, must be a profile as torch.profiler exports it");
  }
  std::string card;
  for (const char letter : network.measured_step->gpu) {
    if (letter != ' ') card += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const MachineSpec& machine : experiment.machines) {
    if (card.find(machine.name.substr(0, machine.name.find('_'))) != std::string::npos) continue;
    throw ConfigError(fmt::format(
        "--profile: {} is of a {}, whose times are not those of --arch {}: name its machine, or "
        "say --network FILE to simulate all of it",
        network.name, network.measured_step->gpu, machine.name));
  }
}

/// Whether what stands for EXPERIMENT is a network: a shipped one, a folder with a config.json, or
/// a file that says what only models and networks do.
bool is_network(const std::string& asked) {
  if (names_config(ConfigKind::experiment, asked)) {
    std::error_code ignored;
    if (std::filesystem::is_directory(asked, ignored)) return true;
    if (!std::filesystem::is_regular_file(asked, ignored)) return false;
    const YamlDocument document = load_yaml(asked);
    const auto has = [&](const char* key) { return document.root.find(key) != nullptr; };
    return !has("networks") && (has("model_type") || has("layers"));
  }
  return names_config(ConfigKind::network, asked);
}

Experiment experiment_with(const Arguments& arguments, const Overrides& overrides) {
  if (arguments.has(kCommon.experiment)) {
    const std::string asked = arguments.text(kCommon.experiment);
    if (is_network(asked)) {
      throw ConfigError(
          fmt::format("EXPERIMENT is '{0}', which is a network: say --network {0} --arch {1}",
                      asked, arguments.text_or(kCommon.arch, "a100")));
    }
    refuse_beside_file(arguments);
    return load_experiment(resolve_config(ConfigKind::experiment, asked, ""), overrides);
  }
  if (arguments.has(kExperiment.network) || arguments.has(kExperiment.profile)) {
    for (const Option& option : {kExperiment.network, kCommon.phase}) {
      const bool is_beside = arguments.has(kExperiment.profile) && arguments.has(option);
      arguments.allow_only_if(!is_beside, option,
                              "does not go with --profile, which has a whole step");
    }
    Experiment experiment = experiment_without_file(arguments, overrides);
    if (arguments.has(kExperiment.profile)) check_card(experiment);
    return experiment;
  }
  for (const Option& option : options_of<ExperimentTable>()) {
    arguments.allow_only_if(false, option, "has no effect without --network");
  }
  throw ConfigError("EXPERIMENT is missing, or --network and --arch");
}

/// Makes an entry that is a name, or has one, be found from `folder`.
void rename_entry(ordered_json& entry, const std::filesystem::path& folder, ConfigKind kind) {
  ordered_json& name = entry.is_object() ? entry.at("name") : entry;
  name = name_from(folder, kind, name.get<std::string>());
}

}  // namespace

std::string name_from(const std::filesystem::path& folder, ConfigKind kind,
                      const std::string& name) {
  const std::filesystem::path path = resolve_config(kind, name, "");
  if (path != std::filesystem::path(name).lexically_normal()) return name;
  const std::filesystem::path absolute = std::filesystem::absolute(path).lexically_normal();
  // "./" makes it a path, whatever the file's name ends in.
  return "./" + absolute.lexically_relative(folder).string();
}

std::string experiment_text(const Arguments& arguments, const std::filesystem::path& folder,
                            const std::vector<std::string>& schemes) {
  constexpr std::array<std::pair<const char*, ConfigKind>, 3> kKinds{
      {{"machines", ConfigKind::machine},
       {"networks", ConfigKind::network},
       {"schemes", ConfigKind::scheme}}};
  ordered_json json = experiment_json(arguments, schemes);
  for (const auto& [key, kind] : kKinds) {
    for (ordered_json& entry : json.at(key)) rename_entry(entry, folder, kind);
  }
  if (json.contains("parallel")) {
    ordered_json& system = json.at("parallel").at("system");
    system = name_from(folder, ConfigKind::system, system.get<std::string>());
  }
  if (json.contains("framework")) {
    rename_entry(json.at("framework"), folder, ConfigKind::framework);
  }
  return json.dump();
}

Experiment experiment_of(const Arguments& arguments) {
  Overrides overrides = arguments.all(kCommon.set);
  if (arguments.has(kSchemeWork.no_overhead)) overrides.emplace_back("scheme_work=false");
  if (arguments.has(kCommon.functional)) overrides.emplace_back("functional=true");
  if (arguments.has(kSchemeWork.pruning_kernels)) {
    const std::string kernels = arguments.text(kSchemeWork.pruning_kernels);
    const std::vector<std::string> words = kSchemeWork.pruning_kernels.words();
    if (std::ranges::find(words, kernels) == words.end()) {
      arguments.refuse(kSchemeWork.pruning_kernels, fmt::format("{}", fmt::join(words, " or ")));
    }
    overrides.emplace_back("pruning_kernels=" + kernels);
  }
  Experiment experiment = experiment_with(arguments, overrides);
  const bool any_work =
      std::any_of(experiment.schemes.begin(), experiment.schemes.end(),
                  [](const Scheme& scheme) { return !scheme.is_dense() || !scheme.work.empty(); });
  for (const Option& option : {kSchemeWork.no_overhead, kSchemeWork.pruning_kernels}) {
    arguments.allow_only_if(
        any_work, option, "has no effect: no scheme of the experiment spends anything on pruning");
  }
  return experiment;
}

}  // namespace stcsim
