#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "common/io/yaml_node.hpp"
#include "workloads/files/model_keys.hpp"

namespace stcsim {

/// The keys of a family's file that hold rules of keys, one each kind.
[[nodiscard]] std::string_view section_of(KeyKind kind);

/// What the classes of a model type are: a file of configs/models (docs/workloads.md#families),
/// with what the type has of its own merged over it.
struct ModelFamily {
  std::string type;
  /// How its classes' names begin: "Qwen2".
  std::string classes;
  /// A map of the sections, `values`, `checks`, `parts`, `layers`, `says`, `ignore`.
  YamlNode rules;

  /// The value of a section's key; null if there is none.
  [[nodiscard]] const YamlNode* find(std::string_view section, std::string_view key) const;
};

/// All families, by model type, read once.
/// @throws ConfigError for a file of a family that is malformed
[[nodiscard]] const std::map<std::string, ModelFamily>& model_families();

/// The family of a `model_type`.
[[nodiscard]] std::optional<ModelFamily> family_of_type(const std::string& type);
/// The one whose classes are called so: "Qwen2ForCausalLM". Of several the longest name.
[[nodiscard]] std::optional<ModelFamily> family_of_class(const std::string& name);
/// The one all of whose particular keys a configuration has. Of several the one that names most.
[[nodiscard]] std::optional<ModelFamily> family_with_keys(const nlohmann::ordered_json& config);

}  // namespace stcsim
