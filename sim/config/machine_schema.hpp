#pragma once

#include <nlohmann/json.hpp>

namespace stcsim {

/// A JSON Schema (draft 2020-12) of a machine file that says everything itself, without `extends`:
/// keys, types, ranges, defaults and what they mean. What numbers demand of each other it does not
/// say: reading the file does.
[[nodiscard]] nlohmann::ordered_json machine_schema();

/// The same of a framework's file.
[[nodiscard]] nlohmann::ordered_json framework_schema();

}  // namespace stcsim
