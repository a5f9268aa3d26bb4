#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/io/yaml_node.hpp"

namespace stcsim {

/// The files that a pattern with *, ? and [...] matches, sorted by name.
/// @param where of the pattern: relative ones begin at its file
[[nodiscard]] std::vector<std::filesystem::path> matching_files(const std::string& pattern,
                                                                const SourceLocation& where);

/// The files of a key that is a pattern, or a list of them; in order, none twice.
/// @throws ConfigError at a pattern that no file matches
[[nodiscard]] std::vector<std::filesystem::path> read_curve_files(const YamlNode& node);

}  // namespace stcsim
