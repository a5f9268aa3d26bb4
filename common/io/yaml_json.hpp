#pragma once

#include <string>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "common/io/yaml_node.hpp"

namespace stcsim {

/// The tree as JSON, keys sorted. Plain numbers and true/false become numbers and booleans (1.50
/// and 1.5 are the same), every other scalar a string, so that reading the JSON back as YAML gives
/// the same values.
[[nodiscard]] nlohmann::ordered_json to_json(const YamlNode& node);

/// to_json without white space: equal configurations give equal bytes.
[[nodiscard]] std::string canonical_json(const YamlNode& node);

/// A JSON object as YAML that reads back as the same values: nested maps and lists are indented,
/// those without further nesting stand on one line, texts are quoted where they could be taken for
/// something else.
[[nodiscard]] std::string to_yaml(const nlohmann::ordered_json& object);

}  // namespace stcsim
