#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/list/field_kinds.hpp"
#include "cli/list/list_texts.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv.hpp"
#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "common/io/yaml_json.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/version.hpp"
#include "models/accelerator/accelerator.hpp"
#include "reports/run/network_layers.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/machine.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/library.hpp"
#include "workloads/files/model_family.hpp"
#include "workloads/files/profile.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, what it is

constexpr const char* kKernels = "kernels";
constexpr const char* kFields = "fields";
constexpr const char* kSchema = "schema";
constexpr const char* kUnits = "units";
constexpr const char* kSchemes = "schemes";
constexpr const char* kLayers = "layers";
constexpr const char* kFrameworks = "frameworks";
constexpr const char* kPapers = "papers";
constexpr const char* kModels = "models";
constexpr const char* kYaml = "yaml";
constexpr const char* kProfile = "profile";

constexpr struct ListTable {
  Option arch = kCommon.arch.as("NAME", "machine whose kernels or units to list");
  Option batch = kCommon.batch.as("N", "samples per step of the network whose layers to list");
  Option format = kCommon.format.as(
      "table|json|csv|text|markdown|schema",
      "form of the list (default table, which text is too); markdown: of schemes what each makes "
      "sparse, of fields the documentation's table; schema: of fields, a JSON Schema");
  Option kind{"kind", "", "kind of file whose fields to list (default machine)"};
} kList;
constexpr Option kListed{"KIND"};
constexpr Option kListedName{"NAME"};

struct ListedKind {
  const char* name;
  const char* description;
  ConfigKind kind;
};
constexpr std::array<ListedKind, 9> kKinds{{
    {"arch", "machines; also: stcsim list machines; one: list machine NAME", ConfigKind::machine},
    {"libraries", "kernels, libraries and stacks that machine files name", ConfigKind::library},
    {"workloads", "networks; also: stcsim list networks", ConfigKind::network},
    {kSchemes, "ways of training with n:m sparsity; one: list scheme NAME", ConfigKind::scheme},
    {kFrameworks, "whose kernels run beside the matrix products", ConfigKind::framework},
    {"experiments", "experiments for 'stcsim run'; one: list experiment NAME",
     ConfigKind::experiment},
    {"spaces", "machines and work to sweep over, for 'stcsim sweep'", ConfigKind::space},
    {"costs", "energies and areas, for 'stcsim gemm --energy'", ConfigKind::cost},
    {"systems", "several GPUs and their links, for 'stcsim run --system'", ConfigKind::system},
}};
/// Other words for kinds.
constexpr std::array<std::pair<const char*, const char*>, 2> kSynonyms{
    {{"machines", "arch"}, {"networks", "workloads"}}};

/// Names, and beside them what they are, on as many lines as that takes in so many columns.
std::string text_of(const Lines& lines, std::size_t columns) {
  constexpr std::size_t kNarrowest = 20;  // of what is beside
  std::size_t names = 0;
  for (const auto& line : lines) names = std::max(names, display_width(line.first));
  const std::size_t beside = std::max(kNarrowest, columns - std::min(columns, names + 2));
  std::string text;
  for (const auto& [name, description] : lines) {
    std::string left = name;
    for (const std::string& part : wrap_words(description, beside)) {
      const std::string line = fmt::format("{:<{}}  {}", left, names, part);
      text += (part.empty() ? left : line) + "\n";
      left.clear();
    }
  }
  return text;
}

Lines list_models() {
  Lines lines;
  for (const auto& [type, family] : model_families()) {
    lines.emplace_back(type, "classes " + family.classes + "...");
  }
  return lines;
}

Lines list_kinds() {
  Lines lines;
  for (const ListedKind& kind : kKinds) lines.emplace_back(kind.name, kind.description);
  lines.emplace_back(kPapers, "publications, for 'stcsim evidence papers'");
  lines.emplace_back(kModels, "model types whose config.json is read as a network");
  lines.emplace_back(kLayers, "layers and GEMMs of a network (layers NETWORK)");
  lines.emplace_back(kKernels, "GEMM kernels of a machine (--arch)");
  lines.emplace_back(kFields, "keys of a kind of file (--kind)");
  lines.emplace_back(kSchema, "JSON Schema of a kind of file (schema KIND)");
  lines.emplace_back(kUnits, "block diagram of a machine (--arch)");
  lines.emplace_back(kYaml, "a YAML file as the program reads it, in JSON (yaml FILE)");
  lines.emplace_back(kProfile,
                     "what ran on the GPU in a PyTorch profile's step, in JSON (profile FILE)");
  return lines;
}

Lines list_configurations(ConfigKind kind) {
  Lines lines;
  for (const CatalogEntry& entry : list_configs(kind)) {
    const YamlNode config = load_by_name(kind, entry.path.string());
    const YamlNode* const description = config.find("description");
    lines.emplace_back(entry.name, description == nullptr ? "" : description->text);
  }
  return lines;
}

/// Folders of configs/papers that have a paper.yaml, by name.
Lines list_shipped_papers() {
  Lines lines;
  for (const auto& entry : std::filesystem::directory_iterator(config_directory() / "papers")) {
    const std::filesystem::path file = entry.path() / "paper.yaml";
    if (!std::filesystem::is_regular_file(file)) continue;
    const YamlDocument paper = load_yaml(file);
    const YamlNode* const title = paper.root.find("title");
    lines.emplace_back(entry.path().filename().string(), title == nullptr ? "" : title->text);
  }
  std::ranges::sort(lines);
  return lines;
}

std::string kernel_line(const KernelConfig& kernel) {
  return fmt::format("{}, tile {}x{}x{}, {} stages, {}x{} warps",
                     kernel.sparse ? "sparse" : "dense", kernel.tile_m, kernel.tile_n,
                     kernel.tile_k, kernel.stages, kernel.warps_m, kernel.warps_n);
}

/// What mapped kernels stand in for: "fp16 dense", ...; nothing if the machine has its own for
/// all.
std::vector<std::string> types_without_kernels(const MachineConfig& machine) {
  std::vector<std::string> types;
  for (const DataType dtype : operand_data_types()) {
    for (const Pattern pattern : patterns_without_kernels(machine, dtype)) {
      types.push_back(fmt::format("{} {}", to_string(dtype), pattern.to_string()));
    }
  }
  return types;
}

Lines list_kernels(const std::string& arch) {
  Lines lines;
  const MachineConfig machine = load_machine(arch).config;
  for (const KernelConfig& kernel : all_kernels(machine)) {
    const std::string unused = why_unused(machine, kernel);
    lines.emplace_back(kernel.name,
                       kernel_line(kernel) + (unused.empty() ? "" : "; not used: " + unused));
  }
  const std::vector<std::string> types = types_without_kernels(machine);
  if (types.empty()) return lines;
  lines.emplace_back(fmt::format("{}_*", kMapped),
                     fmt::format("made for the machine; stands in for {}", fmt::join(types, ", ")));
  return lines;
}

/// The kind of file of --kind, or the second argument of `schema`: machines if nothing is said.
const FieldKind& file_kind(const Arguments& arguments, const std::string& kind) {
  const Option& option = kind == kSchema ? kListedName : kList.kind;
  if (!arguments.has(option)) return field_kinds().front();
  std::vector<std::string> names;
  for (const FieldKind& one : field_kinds()) names.emplace_back(one.name);
  return field_kinds()[arguments.choose(option, names)];
}

Lines list_keys(const FieldKind& kind) {
  Lines lines;
  for (const ListedField& listed : kind.fields()) {
    lines.emplace_back(listed.path(), listed.meaning());
  }
  return lines;
}

Lines list_units(const std::string& arch) {
  return unit_lines(Accelerator(load_machine(arch).config.accelerator).tree());
}

/// The kind asked for, "" for none.
std::string kind_of(const Arguments& arguments) {
  if (!arguments.has(kListed)) return "";
  std::vector<std::string> names;
  for (const ListedKind& kind : kKinds) names.emplace_back(kind.name);
  names.insert(names.end(),
               {kPapers, kModels, kLayers, kKernels, kFields, kSchema, kUnits, kYaml, kProfile});
  for (const auto& [synonym, name] : kSynonyms) names.emplace_back(synonym);
  const std::string chosen = names[arguments.choose(kListed, names)];
  for (const auto& [synonym, name] : kSynonyms) {
    if (chosen == synonym) return name;
  }
  return chosen;
}

Lines lines_of(const std::string& kind, const Arguments& arguments) {
  if (kind.empty()) return list_kinds();
  if (kind == kPapers) return list_shipped_papers();
  if (kind == kModels) return list_models();
  if (kind == kSchema) return {};
  if (kind == kFields) return list_keys(file_kind(arguments, kind));
  if (kind == kUnits) return list_units(arguments.text(kCommon.arch));
  if (kind == kKernels) return list_kernels(arguments.text(kCommon.arch));
  const auto* const known = std::find_if(kKinds.begin(), kKinds.end(),
                                         [&](const ListedKind& one) { return kind == one.name; });
  return list_configurations(known->kind);
}

Table shipped_schemes() {
  std::vector<Scheme> schemes;
  for (const CatalogEntry& entry : list_configs(ConfigKind::scheme)) {
    const YamlNode config = load_by_name(ConfigKind::scheme, entry.path.string());
    MapReader map(config, "");
    schemes.push_back(read_scheme(map));
  }
  return scheme_table(schemes);
}

Format format_for(const std::string& kind, const Arguments& arguments) {
  const Format format = format_of(arguments, kList.format);
  arguments.allow_only_if(format != Format::markdown || kind == kSchemes || kind == kFields,
                          kCommon.format, "can be 'markdown' of 'schemes' and 'fields' only");
  arguments.allow_only_if(format != Format::schema || kind == kFields, kCommon.format,
                          "can be 'schema' of 'fields' only");
  arguments.allow_only_if(kind != kSchema, kCommon.format,
                          "has no effect on 'schema', which is JSON");
  return kind == kSchema ? Format::schema : format;
}

std::string lines_in_json(const std::string& kind, const Lines& lines) {
  nlohmann::ordered_json document{{"schema", "stcsim.list/1"},
                                  {"version", program_version()},
                                  {"kind", kind.empty() ? "kinds" : kind},
                                  {"entries", nlohmann::ordered_json::array()}};
  for (const auto& [name, description] : lines) {
    document["entries"].push_back({{"name", name}, {"description", description}});
  }
  return document_text(document);
}

std::string lines_in_csv(const Lines& lines) {
  std::vector<nlohmann::ordered_json> rows;
  for (const auto& [name, description] : lines) {
    rows.push_back({{"name", name}, {"description", description}});
  }
  return to_csv({{"name", ""}, {"description", ""}}, rows);
}

std::string schema_text(const FieldKind& kind) {
  return kind.schema(kind.title).dump(2) + "\n";
}

std::string list_in(Format format, const std::string& kind, const Arguments& arguments) {
  switch (format) {
    case Format::schema:
      return schema_text(file_kind(arguments, kind));
    case Format::json:
      return lines_in_json(kind, lines_of(kind, arguments));
    case Format::csv:
      return lines_in_csv(lines_of(kind, arguments));
    case Format::markdown:
      return kind == kSchemes ? shipped_schemes().to_markdown()
                              : fields_markdown(file_kind(arguments, kind).fields());
    default:
      break;
  }
  return text_of(lines_of(kind, arguments), output_width());
}

std::string layers_in(Format format, const Arguments& arguments) {
  if (!arguments.has(kListedName)) throw ConfigError("NETWORK is missing");
  const Network network = load_network(arguments.text(kListedName), batch_overrides(arguments));
  if (format == Format::json) return layers_to_json(network);
  return format == Format::csv ? layers_to_csv(network) : layers_text(network, output_width());
}

/// Adds "rows.0.says": "12:5" for the node's keys and items, and those below them.
void add_places(const YamlNode& node, const std::string& path, nlohmann::ordered_json& places) {
  const auto add = [&](const std::string& name, const SourceLocation& where,
                       const YamlNode& value) {
    const std::string key = path.empty() ? name : path + "." + name;
    places[key] = fmt::format("{}:{}", where.line, where.column);
    add_places(value, key, places);
  };
  for (const YamlEntry& entry : node.entries) add(entry.key, entry.key_location, entry.value);
  for (std::size_t at = 0; at < node.items.size(); ++at) {
    add(std::to_string(at), node.items[at].location, node.items[at]);
  }
}

int list_yaml(const Arguments& arguments) {
  if (!arguments.has(kListedName)) throw ConfigError("FILE is missing");
  const YamlNode root = load_yaml(arguments.text(kListedName)).root;
  nlohmann::ordered_json places = nlohmann::ordered_json::object();
  add_places(root, "", places);
  write_data(document_text({{"schema", "stcsim.yaml/1"},
                            {"version", program_version()},
                            {"content", to_json(root)},
                            {"places", places}}));
  return kExitFine;
}

int list_profile(const Arguments& arguments) {
  if (!arguments.has(kListedName)) throw ConfigError("FILE is missing");
  write_data(profile_to_json(read_profile(arguments.text(kListedName))));
  return kExitFine;
}

int list(const Arguments& arguments) {
  const std::string kind = kind_of(arguments);
  if (kind == kYaml) return list_yaml(arguments);
  if (kind == kProfile) return list_profile(arguments);
  if (arguments.has(kListedName) && kind != kLayers && kind != kSchema) {
    const std::string name = arguments.text(kListedName);
    const bool is_scheme = kind == kSchemes && names_config(ConfigKind::scheme, name);
    throw ConfigError(fmt::format("unexpected argument '{}'", name) +
                      (is_scheme ? "; did you mean 'stcsim list scheme " + name + "'?" : ""));
  }
  arguments.allow_only_if(kind == kKernels || kind == kUnits, kCommon.arch,
                          "has no effect without 'kernels' or 'units'");
  arguments.allow_only_if(kind == kLayers, kCommon.batch, "has no effect without 'layers'");
  arguments.allow_only_if(kind == kFields, kList.kind, "has no effect without 'fields'");
  const Format format = format_for(kind, arguments);
  write_data(kind == kLayers ? layers_in(format, arguments) : list_in(format, kind, arguments));
  if (format == Format::table && ::isatty(STDOUT_FILENO) == 1) {
    const bool is_work = kind == "experiments" || kind == "spaces";
    write_data(next_lines({"stcsim", is_work ? "run quick"
                                             : "run --network resnet50 --arch a100 "
                                               "--schemes all"}));
  }
  return kExitFine;
}

}  // namespace

Command list_command() {
  static const std::string kKindNames = [] {
    std::string names;
    for (const FieldKind& kind : field_kinds()) {
      names += (names.empty() ? "" : "|") + std::string(kind.name);
    }
    return names;
  }();
  Options options = options_of<ListTable>();
  options.back().value = kKindNames.c_str();
  return {
      "list",
      "List what is shipped: machines, networks, schemes, frameworks, experiments",
      "[arch|workloads|schemes|frameworks|experiments|layers NETWORK|kernels|fields|schema KIND|"
      "units|yaml FILE|profile FILE] [OPTIONS]",
      "Without an argument, the kinds of things there are. 'machines' is another word "
      "for arch,\n'networks' for workloads.\n\n"
      "  stcsim list layers resnet50 --batch 32\n",
      {kListed.optional(), kListedName.optional()},
      options,
      &list};
}

}  // namespace stcsim
