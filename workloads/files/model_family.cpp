#include "workloads/files/model_family.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/catalog.hpp"
#include "common/io/text_file.hpp"
#include "common/io/yaml_merge.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, kKeyKinds> kSections{"sizes", "counts", "numbers", "rates",
                                                            "flags", "texts",  "lists",   "pixels"};
constexpr std::array<std::string_view, 6> kOtherSections{"values", "checks", "parts",
                                                         "layers", "says",   "ignore"};

/// Refuses keys that no family has.
void check_keys(const YamlNode& map, std::initializer_list<std::string_view> more) {
  for (const YamlEntry& entry : map.entries) {
    const auto is = [&](std::string_view known) { return known == entry.key; };
    if (std::ranges::any_of(kSections, is) || std::ranges::any_of(kOtherSections, is) ||
        std::ranges::any_of(more, is)) {
      continue;
    }
    throw ConfigError(entry.key_location,
                      fmt::format("unknown key '{}', must be one of {}, {}", entry.key,
                                  fmt::join(kSections, ", "), fmt::join(kOtherSections, ", ")));
  }
}

/// Puts rules over others: a name that becomes a key of another kind, or a value, is none before.
void put_over(YamlNode& rules, const YamlNode& changes) {
  const auto defines = [](std::string_view section) {
    return section == "values" || std::ranges::find(kSections, section) != kSections.end();
  };
  for (const YamlEntry& section : changes.entries) {
    if (!defines(section.key)) continue;
    for (YamlEntry& before : rules.entries) {
      if (!defines(before.key) || before.key == section.key) continue;
      std::erase_if(before.value.entries, [&](const YamlEntry& entry) {
        return section.value.find(entry.key) != nullptr;
      });
    }
  }
  merge_over(rules, changes);
}

/// A family's file over those that it extends, without its types.
YamlNode rules_of(const std::filesystem::path& file, YamlNode& types) {
  YamlNode own = load_yaml(file).root;
  check_keys(own, {"types", "extends"});
  YamlNode rules;
  rules.kind = YamlKind::map;
  if (const YamlNode* const base = own.find("extends")) {
    YamlNode others;
    rules = rules_of(resolve_config(ConfigKind::model, base->text, file.parent_path()), others);
  }
  if (const YamlNode* const stated = own.find("types")) types = *stated;
  std::erase_if(own.entries, [](const YamlEntry& entry) {
    return entry.key == "types" || entry.key == "extends";
  });
  put_over(rules, own);
  return rules;
}

/// The families of a file.
std::vector<ModelFamily> families_in(const std::filesystem::path& file) {
  YamlNode types;
  const YamlNode rules = rules_of(file, types);
  std::vector<ModelFamily> families;
  for (const YamlEntry& type : types.entries) {
    check_keys(type.value, {"class", "keys"});
    ModelFamily family{type.key, "", rules};
    if (const YamlNode* const name = type.value.find("class")) family.classes = name->text;
    put_over(family.rules, type.value);
    families.push_back(std::move(family));
  }
  return families;
}

/// The best by `score`, which is 0 of those that do not fit.
std::optional<ModelFamily> best_of(const auto& score) {
  const ModelFamily* best = nullptr;
  std::size_t most = 0;
  for (const auto& [type, family] : model_families()) {
    const std::size_t points = score(family);
    if (points <= most) continue;
    most = points;
    best = &family;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace

std::string_view section_of(KeyKind kind) {
  return kSections.at(static_cast<std::size_t>(kind));
}

const YamlNode* ModelFamily::find(std::string_view section, std::string_view key) const {
  const YamlNode* const map = rules.find(section);
  return map == nullptr ? nullptr : map->find(key);
}

const std::map<std::string, ModelFamily>& model_families() {
  static const std::map<std::string, ModelFamily> all = [] {
    std::map<std::string, ModelFamily> families;
    for (const CatalogEntry& file : list_configs(ConfigKind::model)) {
      for (ModelFamily& family : families_in(file.path)) {
        const std::string type = family.type;
        families.emplace(type, std::move(family));
      }
    }
    return families;
  }();
  return all;
}

/// Only files that may have the type are parsed.
std::optional<ModelFamily> family_of_type(const std::string& type) {
  static std::map<std::string, std::optional<ModelFamily>> known;
  const auto found = known.find(type);
  if (found != known.end()) return found->second;
  std::optional<ModelFamily>& result = known[type];
  for (const CatalogEntry& file : list_configs(ConfigKind::model)) {
    const std::string text = read_text_file(file.path, "a family of models", kLargestConfig);
    if (text.find("\n  " + type + ":") == std::string::npos) continue;
    for (ModelFamily& family : families_in(file.path)) {
      if (family.type == type) result = std::move(family);
    }
  }
  return result;
}

std::optional<ModelFamily> family_of_class(const std::string& name) {
  return best_of([&](const ModelFamily& family) -> std::size_t {
    if (family.classes.empty() || !name.starts_with(family.classes)) return 0;
    const std::string_view rest = std::string_view(name).substr(family.classes.size());
    const bool fits = rest.starts_with("For") || rest.starts_with("Model") ||
                      rest.starts_with("LMHead") || rest.starts_with("Encoder");
    return fits ? family.classes.size() : 0;
  });
}

std::optional<ModelFamily> family_with_keys(const nlohmann::ordered_json& config) {
  return best_of([&](const ModelFamily& family) -> std::size_t {
    const YamlNode* const keys = family.rules.find("keys");
    if (keys == nullptr) return 0;
    const std::vector<std::string_view> words = words_in(keys->text);
    const bool has_all = std::ranges::all_of(words, [&](std::string_view key) {
      const auto found = config.find(std::string(key));
      return found != config.end() && !found->is_null();
    });
    return has_all ? words.size() : 0;
  });
}

}  // namespace stcsim
