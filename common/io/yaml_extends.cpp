#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace fs = std::filesystem;
namespace {

/// Files being read, each because the one before extends it.
using Chain = std::vector<std::string>;

void erase_key(YamlNode& map, std::string_view key) {
  std::erase_if(map.entries, [key](const YamlEntry& entry) { return entry.key == key; });
}

void resolve(YamlNode& map, ConfigKind kind, Chain& chain) {
  const YamlNode* const extends = map.find("extends");
  if (extends == nullptr) return;
  const SourceLocation where = extends->location;
  const fs::path path =
      resolve_config(kind, read_string(*extends, "extends"), base_directory(where), where);
  const std::string id = fs::weakly_canonical(path).string();
  const bool circle = std::find(chain.begin(), chain.end(), id) != chain.end();
  chain.push_back(id);
  if (circle) {
    throw ConfigError(where,
                      fmt::format("'extends' runs in a circle: {}", fmt::join(chain, " -> ")));
  }
  YamlNode base = load_yaml(path).root;
  resolve(base, kind, chain);
  chain.pop_back();
  erase_key(base, "name");
  erase_key(map, "extends");
  merge_over(base, map);
  map = std::move(base);
}

}  // namespace

void merge_over(YamlNode& base, const YamlNode& changes) {
  if (!base.is_map() || !changes.is_map()) {
    base = changes;
    return;
  }
  base.location = changes.location;
  for (const YamlEntry& change : changes.entries) {
    if (YamlNode* const value = base.find(change.key)) {
      merge_over(*value, change.value);
    } else {
      base.entries.push_back(change);
    }
  }
}

YamlDocument load_config(ConfigKind kind, const fs::path& path) {
  YamlDocument document = load_yaml(path);
  Chain chain{fs::weakly_canonical(path).string()};
  resolve(document.root, kind, chain);
  return document;
}

void resolve_extends(YamlNode& map, ConfigKind kind) {
  Chain chain;
  resolve(map, kind, chain);
}

}  // namespace stcsim
