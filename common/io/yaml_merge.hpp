#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/catalog.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim {

/// Writes `changes` over `base`: maps merge key by key, everything else is replaced. What stays
/// keeps the location it was written at.
void merge_over(YamlNode& base, const YamlNode& changes);

/// load_yaml, with `extends: other` (a shipped configuration of the same kind, or a path relative
/// to the file) replaced by the other's keys, over which this file's own are merged. A `name` is
/// not inherited.
/// @throws ConfigError at the `extends` that cannot be followed or leads back to its own file
[[nodiscard]] YamlDocument load_config(ConfigKind kind, const std::filesystem::path& path);

/// The same for a map written inside another file; does nothing to a map without `extends`.
void resolve_extends(YamlNode& map, ConfigKind kind);

/// Applies "a.b.0.c=value": keys of maps and indices of lists, separated by dots (a key that is
/// there may contain dots itself: "axes.gemm.k=[64]"); the value is YAML. Keys on the way that do
/// not exist are made (whether they mean anything is for the reader to say); a list element that is
/// a plain name x is made {name: x} first. Whatever is set has the location "--set a.b.0.c=value".
/// @throws ConfigError if the text has no '=', the value is missing or no YAML, an index is out of
///         range, or the path leads into a plain value
void apply_override(YamlNode& root, const std::string& assignment);
/// The same for a value that is written elsewhere and keeps its place; `key` is "a.b.0.c".
/// @param where the key was written: the place of maps and keys that are made
void set_value(YamlNode& root, std::string_view key, YamlNode value, const SourceLocation& where);
void apply_overrides(YamlNode& root, const std::vector<std::string>& assignments);

}  // namespace stcsim
