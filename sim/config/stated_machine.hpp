#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/io/yaml_node.hpp"

namespace stcsim {

/// The node at "a.b.c" of nested maps; null if there is none.
[[nodiscard]] const YamlNode* find_node(const YamlNode& root, std::string_view path);

/// True if any value below was not written in that file.
[[nodiscard]] bool has_other_origin(const YamlNode& node, const std::string& file);

/// The place and the message that an error's what() is made of; no file for one that has no place.
struct PlacedMessage {
  SourceLocation where;
  std::string text;
};
[[nodiscard]] PlacedMessage placed_message(const ConfigError& error);

/// The machine of the file that `where` is in, as that file alone has it: nothing extends it, no
/// --set changes it. Nothing if that is no file of a machine that can be read again.
[[nodiscard]] std::optional<YamlNode> machine_stated_at(const SourceLocation& where);

/// A value that was written elsewhere than the one of another machine, or that this one lacks.
struct ChangedValue {
  /// As --set names it.
  std::string path;
  const YamlNode* node = nullptr;
};

/// The values of `now` that `before` has not, or has from another place. Points into `now`.
[[nodiscard]] std::vector<ChangedValue> changed_values(const YamlNode& before, const YamlNode& now);

/// For an error at a value that is right in its own file: the same at the value of `root` that
/// contradicts it, in the last of the files that are right by themselves, or in none (--set). Where
/// the message names several, that is the first changed one of them. Nothing for any other error.
/// @param is_right  whether a machine can be read
[[nodiscard]] std::optional<ConfigError> at_what_changed(
    const YamlNode& root, const PlacedMessage& error,
    const std::function<bool(const YamlNode&)>& is_right);

}  // namespace stcsim
