#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

enum class YamlKind : std::uint8_t { null, scalar, list, map };

struct YamlEntry;

/// One value of a YAML file, with the place it was written at. Maps keep the file's order.
struct YamlNode {
  YamlKind kind = YamlKind::null;
  /// Scalars: the text as written, quotes and escapes resolved.
  std::string text;
  /// Scalars: written in quotes or as a block text, so never a number or a boolean.
  bool quoted = false;
  SourceLocation location;
  std::vector<YamlNode> items;     // lists
  std::vector<YamlEntry> entries;  // maps

  [[nodiscard]] bool is_scalar() const { return kind == YamlKind::scalar; }
  [[nodiscard]] bool is_list() const { return kind == YamlKind::list; }
  [[nodiscard]] bool is_map() const { return kind == YamlKind::map; }

  /// The value of `key` in a map; null if this is no map or has no such key.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);

  /// This value as a message calls it: 'fast', "12" (quoted), a list, a map, empty.
  [[nodiscard]] std::string describe() const;
};

struct YamlEntry {
  std::string key;
  SourceLocation key_location;
  YamlNode value;
};

struct YamlDocument {
  std::filesystem::path path;
  YamlNode root;  // always a map
};

/// Reads a YAML file: one document whose top level is a map. Duplicate keys at any depth, anchors,
/// aliases, merge keys, explicit tags and control characters are refused. Does not follow
/// `extends` (load_config does).
/// @throws ConfigError with file:line:column for what is malformed, with the reason for a file that
///         cannot be read
[[nodiscard]] YamlDocument load_yaml(const std::filesystem::path& path);

/// The same for a text in memory (JSON is YAML too); `origin` stands for the file in messages.
[[nodiscard]] YamlDocument parse_yaml(const std::string& text, const std::string& origin);

/// One value of any kind, for --set: the whole value gets the location `where`.
/// Empty text gives a null node.
[[nodiscard]] YamlNode parse_yaml_value(const std::string& text, const SourceLocation& where);

}  // namespace stcsim
