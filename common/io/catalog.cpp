#include "common/io/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/text_file.hpp"
#include "common/suggestion.hpp"

namespace stcsim {
namespace fs = std::filesystem;
namespace {

struct KindNames {
  std::string_view noun;
  std::string_view folder;
  std::string_view list_word;  // as in `stcsim list arch`
};

constexpr std::array<KindNames, 10> kKindNames{{
    {"machine", "arch", "arch"},
    {"network", "networks", "workloads"},
    {"scheme", "schemes", "schemes"},
    {"experiment", "experiments", "experiments"},
    {"framework", "frameworks", "frameworks"},
    {"space", "spaces", "spaces"},
    {"table of costs", "costs", "costs"},
    {"system", "systems", "systems"},
    {"library", "libraries", "libraries"},
    {"family of models", "models", "models"},
}};

const KindNames& names_of(ConfigKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_path(const std::string& name) {
  constexpr std::array<std::string_view, 6> kSuffixes{".yaml", ".yml",  ".json",
                                                      ".csv",  ".onnx", ".gz"};
  return name.find('/') != std::string::npos ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&name](std::string_view suffix) { return name.ends_with(suffix); });
}

[[noreturn]] void fail(const SourceLocation& where, const std::string& message) {
  if (where.file.empty()) throw ConfigError(message);
  throw ConfigError(where, message);
}

/// The entry of that name; if there is none, the only one that differs in the case of letters.
const CatalogEntry* find_entry(const std::vector<CatalogEntry>& shipped, const std::string& name) {
  const CatalogEntry* alike = nullptr;
  for (const CatalogEntry& entry : shipped) {
    if (entry.name == name) return &entry;
    if (!same_but_case(entry.name, name)) continue;
    if (alike != nullptr) return nullptr;
    alike = &entry;
  }
  return alike;
}

/// Of a name that is not shipped, which of the shipped ones is nearest to it, by the folder's
/// nearest.csv ("name,nearest", names in lower case, letters and digits alone): "" if none is;
/// nothing if that does not know it.
std::optional<std::string> listed_nearest(ConfigKind kind, const std::string& name) {
  const std::string bare = letters_of(name);
  std::ifstream lines(config_directory() / names_of(kind).folder / "nearest.csv");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(bare + ",")) return line.substr(bare.size() + 1);
  }
  return std::nullopt;
}

/// A folder of a model as Hugging Face's programs keep it.
bool is_model_folder(ConfigKind kind, const fs::path& folder) {
  std::error_code ignored;
  return kind == ConfigKind::network && fs::exists(folder / "config.json", ignored);
}

/// "organisation/model", as models are called where their files are kept.
bool is_model_name(const std::string& name) {
  return std::ranges::count(name, '/') == 1 && !name.starts_with("/") && !name.starts_with(".") &&
         !name.ends_with("/") && !name.ends_with(".yaml");
}

[[noreturn]] void refuse_name(ConfigKind kind, const std::string& name,
                              const std::vector<CatalogEntry>& shipped,
                              const SourceLocation& where) {
  std::vector<std::string> candidates;
  for (const CatalogEntry& entry : shipped) candidates.push_back(entry.name);
  const KindNames& kind_names = names_of(kind);
  if (const std::optional<std::string> near = listed_nearest(kind, name)) {
    fail(where, fmt::format("{} '{}' is not modelled{} ('stcsim list {}' shows all), and "
                            "docs/questions.md says how to add one",
                            kind_names.noun, name, near->empty() ? "" : "; the nearest is " + *near,
                            kind_names.list_word));
  }
  const std::string unknown = fmt::format("unknown {} '{}', must be a path", kind_names.noun, name);
  if (candidates.empty()) fail(where, unknown + ": none is shipped");
  fail(where,
       fmt::format("{} or a shipped one such as {} ('stcsim list {}' shows all)", unknown,
                   fmt::join(nearest(name, std::move(candidates), 3), ", "), kind_names.list_word));
}

}  // namespace

fs::path config_directory() {
  const char* const variable = std::getenv("STCSIM_CONFIG_DIR");
  if (variable != nullptr && *variable != '\0') {
    if (is_folder(variable)) return variable;
    throw ConfigError(fmt::format("STCSIM_CONFIG_DIR is '{}', must be a directory", variable));
  }
  const fs::path program_folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = program_folder.parent_path() / "share/stcsim/configs";
  const fs::path in_source_tree = program_folder.parent_path() / "configs";
  if (is_folder(installed)) return installed;
  if (is_folder(in_source_tree)) return in_source_tree;
  throw ConfigError(fmt::format(
      "no shipped configurations: neither {} nor {} is a directory; set STCSIM_CONFIG_DIR",
      installed.string(), in_source_tree.string()));
}

std::vector<CatalogEntry> list_configs(ConfigKind kind) {
  std::vector<CatalogEntry> entries;
  std::error_code missing;
  const fs::path folder = config_directory() / names_of(kind).folder;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, missing)) {
    if (file.path().extension() != ".yaml") continue;
    entries.push_back({file.path().stem().string(), file.path()});
  }
  std::ranges::sort(entries, {}, &CatalogEntry::name);
  return entries;
}

bool names_config(ConfigKind kind, const std::string& name) {
  return name == kStandardStream || is_path(name) ||
         find_entry(list_configs(kind), name) != nullptr;
}

fs::path resolve_config(ConfigKind kind, const std::string& name, const fs::path& base,
                        const SourceLocation& where) {
  if (name == kStandardStream) return name;
  if (is_path(name)) {
    const fs::path path = (base / name).lexically_normal();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      const bool is_model = kind == ConfigKind::network && is_model_name(name);
      fail(where, fmt::format("{} file '{}' does not exist{}", names_of(kind).noun, path.string(),
                              is_model ? "; if it is a model on Hugging Face, save its config.json "
                                         "and name that file"
                                       : ""));
    }
    return path;
  }
  const std::vector<CatalogEntry> shipped = list_configs(kind);
  const CatalogEntry* const entry = find_entry(shipped, name);
  if (entry == nullptr && is_model_folder(kind, base / name))
    return (base / name).lexically_normal();
  if (entry == nullptr) refuse_name(kind, name, shipped, where);
  return entry->path;
}

fs::path base_directory(const SourceLocation& where) {
  return where.line > 0 ? fs::path(where.file).parent_path() : fs::path();
}

std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key) {
  const std::string name = map.get_string(key);
  const SourceLocation where = map.location_of(key);
  return name.empty() ? name : resolve_config(kind, name, base_directory(where), where).string();
}

bool is_file_name(std::string_view name) {
  return name.find('/') == std::string_view::npos && name != "." && name != "..";
}

void check_file_name(const MapReader& map, const std::string& name) {
  if (is_file_name(name)) return;
  map.fail("name", "'name' is '" + name + "', must be the name of a file: no '/', not . or ..");
}

}  // namespace stcsim
