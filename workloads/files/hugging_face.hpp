#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "workloads/files/import.hpp"

namespace stcsim {

/// Reads a Hugging Face `config.json`, the shape of a model as its class would build it. Numbers of
/// weights and biases, and which layers there are, follow the classes of transformers;
/// `architectures` says which head is on top. A model type that is not known is read as the one
/// whose keys it has.
/// @throws ConfigError with everything that is wrong
[[nodiscard]] ImportedNetwork read_hugging_face(const nlohmann::ordered_json& config,
                                                const std::string& file, const std::string& name,
                                                const ImportOptions& options);

/// Whether a map of JSON is such a configuration: it has a model's type, or sizes as these have.
[[nodiscard]] bool is_hugging_face(const nlohmann::ordered_json& config);

/// Model types that are known.
[[nodiscard]] const std::vector<std::string_view>& hugging_face_types();

}  // namespace stcsim
