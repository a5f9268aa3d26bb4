#pragma once

#include <string>
#include <string_view>

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"

namespace stcsim {

/// The configuration file that the value of a key means (resolve_config): a shipped name, or a path
/// relative to the file it stands in. "" if the key is missing, which finish() reports.
[[nodiscard]] std::string file_named_by(MapReader& map, ConfigKind kind, std::string_view key);

/// Whether a file or folder of this name can only lie where it is made: no '/', neither . nor ..
[[nodiscard]] bool is_file_name(std::string_view name);

/// Refuses the value of `name` if files and folders of results cannot be called by it.
void check_file_name(const MapReader& map, const std::string& name);

}  // namespace stcsim
