#pragma once

#include <string>
#include <string_view>

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {

/// The configuration file that the value of a key means (resolve_config): a shipped name, or a path
/// relative to the file it stands in. "" if the key is missing, which finish() reports.
[[nodiscard]] std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key);

}  // namespace stcsim
