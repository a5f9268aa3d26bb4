#include "common/io/yaml_node.hpp"

#include <algorithm>

namespace stcsim {

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [key](const YamlEntry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &at->value;
}

YamlNode* YamlNode::find(std::string_view key) {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [key](const YamlEntry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &at->value;
}

std::string YamlNode::describe() const {
  switch (kind) {
    case YamlKind::null:
      return "empty";
    case YamlKind::list:
      return "a list";
    case YamlKind::map:
      return "a map";
    case YamlKind::scalar:
      break;
  }
  return quoted ? "the text \"" + text + "\"" : "'" + text + "'";
}

}  // namespace stcsim
