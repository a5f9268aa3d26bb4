#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/scheme_table.hpp"
#include "cli/unit_lines.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "models/accelerator/accelerator.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/config/field_list.hpp"
#include "sim/config/machine_schema.hpp"
#include "sim/config/scheme_config.hpp"
#include "sim/kernel/gemm_kernel.hpp"

namespace stcsim {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, what it is

constexpr const char* kKernels = "kernels";
constexpr const char* kFields = "fields";
constexpr const char* kUnits = "units";
constexpr const char* kSchemes = "schemes";

struct ListedKind {
  const char* name;
  const char* description;
  ConfigKind kind;
};
constexpr std::array<ListedKind, 4> kKinds{{
    {"arch", "machines", ConfigKind::machine},
    {"workloads", "networks", ConfigKind::network},
    {kSchemes, "ways of training with n:m sparsity", ConfigKind::scheme},
    {"experiments", "experiments for 'stcsim run'", ConfigKind::experiment},
}};

/// Characters of a text in UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char one) { return (one & 0xc0) != 0x80; }));
}

std::string text_of(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, width_of(line.first));
  std::string text;
  for (const auto& [name, description] : lines) {
    text +=
        description.empty() ? name + "\n" : fmt::format("{:<{}}  {}\n", name, width, description);
  }
  return text;
}

Lines list_kinds() {
  Lines lines;
  for (const ListedKind& kind : kKinds) lines.emplace_back(kind.name, kind.description);
  lines.emplace_back(kKernels, "GEMM kernels of a machine (--arch)");
  lines.emplace_back(kFields, "keys of a machine file");
  lines.emplace_back(kUnits, "block diagram of a machine (--arch)");
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

Lines list_kernels(const std::string& arch) {
  Lines lines;
  const MachineConfig machine = load_machine(arch).config;
  for (const KernelConfig& kernel : machine.kernels) {
    const std::string unused = why_unused(machine, kernel);
    lines.emplace_back(kernel.name,
                       fmt::format("{}, tile {}x{}x{}, {} stages, {}x{} warps{}",
                                   kernel.sparse ? "sparse" : "dense", kernel.tile_m, kernel.tile_n,
                                   kernel.tile_k, kernel.stages, kernel.warps_m, kernel.warps_n,
                                   unused.empty() ? "" : "; not used: " + unused));
  }
  return lines;
}

Lines list_fields() {
  Lines lines;
  for (const ListedField& listed : machine_fields()) {
    lines.emplace_back(listed.path(), listed.field.help);
  }
  return lines;
}

Lines list_units(const std::string& arch) {
  return unit_lines(Accelerator(load_machine(arch).config.accelerator).tree());
}

Lines lines_of(const Arguments& arguments) {
  if (!arguments.has("KIND")) return list_kinds();
  std::vector<std::string> names;
  for (const ListedKind& kind : kKinds) names.emplace_back(kind.name);
  names.emplace_back(kKernels);
  names.emplace_back(kFields);
  names.emplace_back(kUnits);
  const std::size_t chosen = arguments.choose("KIND", names);
  if (names[chosen] == kFields) return list_fields();
  if (names[chosen] == kUnits) return list_units(arguments.text("arch"));
  return chosen < kKinds.size() ? list_configurations(kKinds.at(chosen).kind)
                                : list_kernels(arguments.text("arch"));
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

bool asks_for(const Arguments& arguments, std::string_view kind) {
  return arguments.has("KIND") && arguments.text("KIND") == kind;
}

enum class ListFormat : std::uint8_t { text, markdown, schema };

std::string list_in(ListFormat format, const Arguments& arguments, const Lines& lines) {
  const bool fields = asks_for(arguments, kFields);
  if (format == ListFormat::schema) return machine_schema().dump(2) + "\n";
  if (format == ListFormat::text) return text_of(lines);
  return fields ? machine_fields_markdown() : shipped_schemes().to_markdown();
}

int list(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, ListFormat>, 3> kFormats{
      {{"text", ListFormat::text},
       {"markdown", ListFormat::markdown},
       {"schema", ListFormat::schema}}};
  const Lines lines = lines_of(arguments);
  const bool fields = asks_for(arguments, kFields);
  arguments.allow_only_if(asks_for(arguments, kKernels) || asks_for(arguments, kUnits), "arch",
                          "has no effect without 'kernels' or 'units'");
  arguments.allow_only_if(fields || asks_for(arguments, kSchemes), "format",
                          "has no effect without 'schemes' or 'fields'");
  const ListFormat format = arguments.choice_or("format", ListFormat::text, kFormats);
  arguments.allow_only_if(fields || format != ListFormat::schema, "format",
                          "can be 'schema' of 'fields' only");
  write_data(list_in(format, arguments, lines));
  return kExitFine;
}

}  // namespace

Command list_command() {
  Command command{"list",
                  "List what is shipped: machines, networks, schemes, experiments",
                  "[arch|workloads|schemes|experiments|kernels|fields|units] [OPTIONS]",
                  "Without an argument, the kinds of things there are.\n",
                  {"[KIND]"},
                  boost::program_options::options_description("Options"),
                  &list};
  add_option(command.options, "arch", "NAME", "machine whose kernels or units to list");
  add_option(command.options, "format", "text|markdown|schema",
             "of schemes: names, or a table of what each makes sparse; of fields: keys, tables of "
             "all there is to say of them, or a JSON Schema (default text)");
  return command;
}

}  // namespace stcsim
