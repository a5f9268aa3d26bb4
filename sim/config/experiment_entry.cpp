#include "sim/config/experiment_entry.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/field_json.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/io/yaml_value.hpp"
#include "common/phase.hpp"
#include "sim/config/kernel_family.hpp"
#include "workloads/files/workload_config.hpp"

namespace stcsim {
namespace {

constexpr IntRange kImportedSize{1, std::int64_t{1} << 24};

/// Sets the pattern of each sparse phase; the number of phases set.
int set_patterns(YamlNode& scheme, const YamlNode& pattern) {
  int count = 0;
  for (const Phase phase : kPhases) {
    YamlNode* const rule = scheme.find(to_string(phase));
    for (const char* const key : {"pattern", "output"}) {
      YamlNode* const value = rule != nullptr ? rule->find(key) : nullptr;
      if (value == nullptr) continue;
      *value = pattern;
      ++count;
    }
  }
  return count;
}

/// Takes `pattern` out of a scheme's entry and into its phases and name.
void apply_pattern(YamlNode& scheme) {
  if (scheme.find("pattern") == nullptr) return;
  const YamlNode pattern = *scheme.find("pattern");
  const std::string text = MapReader(scheme, "").get_pattern("pattern").to_string();
  std::erase_if(scheme.entries, [](const YamlEntry& entry) { return entry.key == "pattern"; });
  if (set_patterns(scheme, pattern) == 0) {
    throw ConfigError(pattern.location,
                      "'pattern' has nothing to replace: the scheme has no sparse phase");
  }
  YamlNode* const name = scheme.find("name");
  if (name != nullptr && name->is_scalar()) name->text += "-" + text;
}

/// What a study's saved configuration says of each kind, and changes to a shipped one hardly do.
std::vector<std::string_view> keys_of_a_whole(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::machine:
      return {"accelerator", "clock_mhz", "kernels"};
    case ConfigKind::network:
      return {"batch", "layers", "optimizer"};
    case ConfigKind::scheme:
      return {"forward", "dgrad", "wgrad", "layers", "share_of_training"};
    case ConfigKind::framework:
      return {"launch", "layers", "optimizers"};
    default:
      return {};
  }
}

/// A definition of its own, under a name that is not shipped.
bool is_whole(ConfigKind kind, const YamlNode& entry, const std::string& name) {
  const std::vector<std::string_view> keys = keys_of_a_whole(kind);
  const auto has = [&](std::string_view key) { return entry.find(key) != nullptr; };
  return !keys.empty() && std::ranges::all_of(keys, has) && !names_config(kind, name);
}

/// Takes what an imported file needs out of a network's entry; `batch` stays in it.
ImportOptions take_import_options(ConfigKind kind, YamlNode& entry) {
  ImportOptions options;
  if (kind != ConfigKind::network) return options;
  if (const YamlNode* const batch = entry.find("batch")) options.batch = int_of(*batch);
  if (const YamlNode* const tokens = entry.find("tokens")) {
    options.tokens = read_int(*tokens, "tokens", kImportedSize);
  }
  if (const YamlNode* const sizes = entry.find("sizes"); sizes != nullptr && sizes->is_map()) {
    for (const YamlEntry& size : sizes->entries) {
      options.sizes[size.key] = read_int(size.value, size.key, kImportedSize);
    }
  }
  options.keeps_times = entry.find("keeps_times") != nullptr;
  std::erase_if(entry.entries, [](const YamlEntry& one) {
    return one.key == "tokens" || one.key == "keeps_times" ||
           (one.key == "sizes" && one.value.is_map());
  });
  return options;
}

YamlNode expand_map(ConfigKind kind, const YamlNode& entry) {
  YamlNode changes = entry;
  if (changes.find("extends") != nullptr) {
    resolve_extends(changes, kind);
    return changes;
  }
  const YamlNode* const name = entry.find("name");
  if (name == nullptr && kind == ConfigKind::framework) {
    YamlNode base = load_by_name(kind, kDefaultFramework);
    merge_over(base, changes);
    return base;
  }
  if (name == nullptr) throw ConfigError(entry.location, "'name' or 'extends' is missing");
  const std::string text = read_string(*name, "name");
  if (is_whole(kind, entry, text)) return changes;
  const SourceLocation where = name->location;
  const ImportOptions options = take_import_options(kind, changes);
  YamlNode base = load_by_name(kind, text, where, options);
  std::erase_if(changes.entries, [](const YamlEntry& change) { return change.key == "name"; });
  merge_over(base, changes);
  return base;
}

}  // namespace

YamlNode load_by_name(ConfigKind kind, const std::string& name, const SourceLocation& where,
                      const ImportOptions& options) {
  std::filesystem::path path = resolve_config(kind, name, base_directory(where), where);
  if (kind == ConfigKind::network) {
    if (std::filesystem::is_directory(path)) path /= "config.json";
    if (recognise(path) != ModelFile::none) {
      return parse_yaml(to_json(import_network(path, options).network).dump(), path.string()).root;
    }
    if (options.tokens || !options.sizes.empty()) {
      throw ConfigError(where, "'" + name +
                                   "' is a network of stcsim's own, whose layers state their "
                                   "tokens: leave out 'tokens' and 'sizes'");
    }
  }
  YamlNode config = load_config(kind, path).root;
  if (kind == ConfigKind::machine) expand_software(config);
  if (kind == ConfigKind::library) expand_kernel_families(config);
  return config;
}

YamlNode expand_entry(ConfigKind kind, const YamlNode& entry) {
  YamlNode node = entry.is_map() ? expand_map(kind, entry)
                                 : load_by_name(kind, read_string(entry, "name"), entry.location);
  if (kind == ConfigKind::scheme) apply_pattern(node);
  if (kind == ConfigKind::machine) expand_software(node);
  return node;
}

}  // namespace stcsim
