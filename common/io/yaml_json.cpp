#include "common/io/yaml_json.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

ordered_json scalar_to_json(const YamlNode& node) {
  if (const auto whole = int_of(node)) return *whole;
  if (const auto number = double_of(node)) return *number;
  if (const auto boolean = bool_of(node)) return *boolean;
  return node.text;
}

ordered_json map_to_json(const YamlNode& node) {
  std::vector<const YamlEntry*> sorted;
  for (const YamlEntry& entry : node.entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const YamlEntry* left, const YamlEntry* right) { return left->key < right->key; });
  ordered_json object = ordered_json::object();
  for (const YamlEntry* entry : sorted) object[entry->key] = to_json(entry->value);
  return object;
}

/// Letters, digits, '_', '.', '-' and inner spaces, beginning with a letter, and no word YAML takes
/// for a boolean or null: such a text means itself without quotes.
bool is_plain(std::string_view text) {
  constexpr std::string_view kSpecial[] = {"true", "false", "yes", "no", "on",
                                           "off",  "null",  "y",   "n"};
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto is_inner = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == ' ';
  };
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !text.empty() && is_letter(static_cast<unsigned char>(text.front())) &&
         text.back() != ' ' && std::all_of(text.begin(), text.end(), is_inner) &&
         std::find(std::begin(kSpecial), std::end(kSpecial), lower) == std::end(kSpecial);
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  if (!is_plain(text)) out << YAML::DoubleQuoted;
  out << text;
}

bool is_flat(const ordered_json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const ordered_json& element) { return element.is_structured(); });
}

void emit(YAML::Emitter& out, const ordered_json& value, bool on_line);

void emit_members(YAML::Emitter& out, const ordered_json& value, bool on_line) {
  for (const auto& [key, element] : value.items()) {
    if (value.is_object()) {
      out << YAML::Key;
      emit_text(out, key);
      out << YAML::Value;
    }
    emit(out, element, on_line);
  }
}

/// Numbers as JSON prints them: the same digits everywhere.
void emit(YAML::Emitter& out, const ordered_json& value, bool on_line) {
  if (value.is_string()) return emit_text(out, value.get_ref<const std::string&>());
  if (!value.is_structured()) {
    out << value.dump();
    return;
  }
  const bool is_short = on_line || is_flat(value);
  if (is_short) out << YAML::Flow;
  if (value.is_object()) {
    out << YAML::BeginMap;
    emit_members(out, value, is_short);
    out << YAML::EndMap;
  } else {
    out << YAML::BeginSeq;
    // An entry of a list stands on one line if it goes no deeper than one more list.
    for (const ordered_json& element : value) {
      const bool fits = element.is_structured() &&
                        std::all_of(element.begin(), element.end(), [](const ordered_json& inner) {
                          return !inner.is_structured() || is_flat(inner);
                        });
      emit(out, element, is_short || fits);
    }
    out << YAML::EndSeq;
  }
}

}  // namespace

ordered_json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::scalar:
      return scalar_to_json(node);
    case YamlKind::map:
      return map_to_json(node);
    case YamlKind::list: {
      ordered_json array = ordered_json::array();
      for (const YamlNode& item : node.items) array.push_back(to_json(item));
      return array;
    }
    case YamlKind::null:
      break;
  }
  return nullptr;
}

std::string canonical_json(const YamlNode& node) {
  return to_json(node).dump();
}

std::string to_yaml(const ordered_json& object) {
  YAML::Emitter out;
  out.SetIndent(2);
  out << YAML::BeginMap;
  emit_members(out, object, false);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace stcsim
