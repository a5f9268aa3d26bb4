#include "sim/config/stated_machine.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"
#include "sim/config/kernel_family.hpp"

namespace stcsim {
namespace {

bool is_same_place(const SourceLocation& left, const SourceLocation& right) {
  return left.line == right.line && left.column == right.column && left.file == right.file;
}

/// Collects changed values.
class Changes {
 public:
  std::vector<ChangedValue> found;

  /// @param before  null if there was nothing
  void add(const YamlNode* before, const YamlNode& now, const std::string& path) {
    const auto inner = [&](const std::string& key) {
      return path.empty() ? key : path + "." + key;
    };
    if (now.is_map()) {
      for (const YamlEntry& entry : now.entries) {
        add(before == nullptr ? nullptr : before->find(entry.key), entry.value, inner(entry.key));
      }
      return;
    }
    if (before == nullptr || !is_same_place(before->location, now.location)) {
      found.push_back({path, &now});
      return;
    }
    for (std::size_t at = 0; at < now.items.size(); ++at) {
      const bool was_there = at < before->items.size();
      add(was_there ? &before->items[at] : nullptr, now.items[at], inner(std::to_string(at)));
    }
  }
};

/// The map, or list, that a value is in, and its key.
std::pair<std::string_view, std::string_view> parent_and_key(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

/// The path of the value that was written there; "" if there is none.
std::string path_at(const YamlNode& node, const SourceLocation& where, const std::string& path) {
  const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (!path.empty() && !node.is_map() && is_same_place(node.location, where)) return path;
  std::string found;
  for (const YamlEntry& entry : node.entries) {
    if (found.empty()) found = path_at(entry.value, where, inner(entry.key));
  }
  for (std::size_t at = 0; at < node.items.size() && found.empty(); ++at) {
    found = path_at(node.items[at], where, inner(std::to_string(at)));
  }
  return found;
}

/// Those that the message names, of the same map as what it is about where there are such; all
/// where it names none.
std::vector<ChangedValue> suspects(const std::vector<ChangedValue>& changed,
                                   const std::string& message, std::string_view map) {
  std::vector<ChangedValue> named;
  std::vector<ChangedValue> beside;
  for (const ChangedValue& one : changed) {
    const auto [parent, key] = parent_and_key(one.path);
    if (message.find(fmt::format("'{}'", key)) == std::string::npos) continue;
    named.push_back(one);
    if (parent == map) beside.push_back(one);
  }
  if (!beside.empty()) return beside;
  return named.empty() ? changed : named;
}

/// The first of their paths.
std::string named(const std::vector<ChangedValue>& values) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> paths;
  for (const ChangedValue& one : values) {
    if (paths.size() < kMostNamed) paths.push_back(fmt::format("'{}'", one.path));
  }
  return fmt::format("{}{}", fmt::join(paths, ", "), values.size() > kMostNamed ? ", ..." : "");
}

/// Takes ":12" off the end of a place; 0 if there is none.
int take_number(std::string& place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return 0;
  YamlNode number;
  number.kind = YamlKind::scalar;
  number.text = place.substr(colon + 1);
  const std::optional<std::int64_t> value = int_of(number);
  if (value) place.resize(colon);
  return static_cast<int>(value.value_or(0));
}

}  // namespace

PlacedMessage placed_message(const ConfigError& error) {
  constexpr std::string_view kMark = ": error: ";
  const std::string text = error.what();
  const std::size_t mark = text.find(kMark);
  if (mark == std::string::npos) return {{}, text};
  PlacedMessage parts{{text.substr(0, mark), 0, 0}, text.substr(mark + kMark.size())};
  parts.where.column = take_number(parts.where.file);
  parts.where.line = take_number(parts.where.file);
  return parts;
}

const YamlNode* find_node(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  for (std::size_t begin = 0; node != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    node = node->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return node;
}

bool has_other_origin(const YamlNode& node, const std::string& file) {
  const auto is_other = [&](const YamlNode& inner) { return has_other_origin(inner, file); };
  if (node.is_map()) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const YamlEntry& entry) { return is_other(entry.value); });
  }
  return node.location.file != file || std::any_of(node.items.begin(), node.items.end(), is_other);
}

std::optional<YamlNode> machine_stated_at(const SourceLocation& where) {
  std::error_code ignored;
  if (where.line == 0 || !std::filesystem::is_regular_file(where.file, ignored)) {
    return std::nullopt;
  }
  try {
    YamlNode machine = load_config(ConfigKind::machine, where.file).root;
    if (machine.find("accelerator") == nullptr) return std::nullopt;
    expand_software(machine);
    return machine;
  } catch (const ConfigError&) {
    return std::nullopt;  // a file that others make whole
  }
}

std::vector<ChangedValue> changed_values(const YamlNode& before, const YamlNode& now) {
  Changes changes;
  changes.add(&before, now, "");
  std::erase_if(changes.found, [](const ChangedValue& one) {
    return one.path == "name" || one.path == "description";
  });
  return std::move(changes.found);
}

std::optional<ConfigError> at_what_changed(const YamlNode& root, const PlacedMessage& error,
                                           const std::function<bool(const YamlNode&)>& is_right) {
  const std::string about = path_at(root, error.where, "");
  std::vector<ChangedValue> to_blame;
  SourceLocation where = error.where;
  for (std::size_t changes = std::string::npos;;) {
    const std::optional<YamlNode> stated = machine_stated_at(where);
    if (!stated) break;
    const std::vector<ChangedValue> changed = changed_values(*stated, root);
    if (changed.empty() || changed.size() >= changes || !is_right(*stated)) break;
    changes = changed.size();
    to_blame = suspects(changed, error.text, parent_and_key(about).first);
    where = to_blame.front().node->location;
  }
  if (to_blame.empty()) return std::nullopt;
  return ConfigError(where, fmt::format("{}; that stands at {}, where it is right without {}",
                                        error.text, error.where.to_string(), named(to_blame)));
}

}  // namespace stcsim
