#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// A JSON object as YAML that reads back as the same values: nested maps and lists are indented,
/// those without further nesting stand on one line, texts are quoted where they could be taken for
/// something else.
[[nodiscard]] std::string to_yaml(const nlohmann::ordered_json& object);

}  // namespace stcsim
