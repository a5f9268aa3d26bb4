#include "common/io/json_config.hpp"

#include <algorithm>
#include <cmath>

#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson scalar_to_json(const YamlNode& node) {
  if (const auto whole = int_of(node)) return *whole;
  if (const auto number = double_of(node)) return *number;
  if (const auto boolean = bool_of(node)) return *boolean;
  return node.text;
}

OrderedJson map_to_json(const YamlNode& node) {
  std::vector<const YamlEntry*> sorted;
  for (const YamlEntry& entry : node.entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const YamlEntry* left, const YamlEntry* right) { return left->key < right->key; });
  OrderedJson object = OrderedJson::object();
  for (const YamlEntry* entry : sorted) object[entry->key] = to_json(entry->value);
  return object;
}

}  // namespace

OrderedJson to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::scalar:
      return scalar_to_json(node);
    case YamlKind::map:
      return map_to_json(node);
    case YamlKind::list: {
      OrderedJson array = OrderedJson::array();
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

}  // namespace stcsim
