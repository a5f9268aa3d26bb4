#pragma once

#include <filesystem>
#include <string>

namespace stcsim {

/// The bytes of a configuration file.
/// @throws ConfigError if it cannot be read or is far too large to be one
[[nodiscard]] std::string read_config_text(const std::filesystem::path& path);

/// Refuses, with its place, what a YAML parser would misread in silence or choke on: control
/// characters, bytes that are not UTF-8 (check_encoding), tabs used as indentation, and brackets
/// within brackets beyond all reason.
void check_config_text(const std::string& text, const std::string& origin);

}  // namespace stcsim
