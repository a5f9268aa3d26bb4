#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "common/io/yaml_node.hpp"

namespace stcsim {

/// The tree as JSON, keys sorted. Plain numbers and true/false become numbers and booleans (1.50
/// and 1.5 are the same), every other scalar a string, so that reading the JSON back as YAML gives
/// the same values.
[[nodiscard]] nlohmann::ordered_json to_json(const YamlNode& node);

/// to_json without white space: equal configurations give equal bytes.
[[nodiscard]] std::string canonical_json(const YamlNode& node);

}  // namespace stcsim
