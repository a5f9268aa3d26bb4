#include "common/io/yaml_merge.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/yaml_value.hpp"

namespace stcsim {
namespace fs = std::filesystem;
namespace {

/// Files being read, each because the one before extends it.
using Chain = std::vector<std::string>;

/// What is no file of a folder (a pipe) is itself.
std::string identity_of(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path.string() : canonical.string();
}

void erase_key(YamlNode& map, std::string_view key) {
  std::erase_if(map.entries, [key](const YamlEntry& entry) { return entry.key == key; });
}

void resolve(YamlNode& map, ConfigKind kind, Chain& chain) {
  const YamlNode* const extends = map.find("extends");
  if (extends == nullptr) return;
  const SourceLocation where = extends->location;
  const fs::path path =
      resolve_config(kind, read_string(*extends, "extends"), base_directory(where), where);
  const std::string id = identity_of(path);
  const bool circle = std::find(chain.begin(), chain.end(), id) != chain.end();
  chain.push_back(id);
  if (circle) {
    throw ConfigError(where,
                      fmt::format("'extends' runs in a circle: {}", fmt::join(chain, " -> ")));
  }
  YamlNode base = load_yaml(path).root;
  resolve(base, kind, chain);
  chain.pop_back();
  erase_key(base, "name");
  erase_key(map, "extends");
  merge_over(base, map);
  map = std::move(base);
}

/// The most of an assignment that a message repeats.
constexpr std::size_t kLongestAssignment = 120;

/// Walks a tree along the keys and indices of one override.
class OverridePath {
 public:
  OverridePath(YamlNode& root, const SourceLocation& where) : node_(&root), where_(where) {}

  void enter(const std::string& part) {
    if (part.empty()) fail("a key is empty, must be a name or an index");
    node_ = node_->is_list() ? element(part) : member(part);
    walked_ += walked_.empty() ? part : "." + part;
  }
  [[nodiscard]] YamlNode& node() const { return *node_; }

  /// The length of the next part of what is left of the key: up to a dot, or as long as a key that
  /// is there and contains dots itself.
  [[nodiscard]] std::size_t next_part(std::string_view rest) const {
    std::size_t length = std::min(rest.find('.'), rest.size());
    for (const YamlEntry& entry : node_->entries) {
      const bool is_next = rest.starts_with(entry.key) &&
                           (entry.key.size() == rest.size() || rest[entry.key.size()] == '.');
      if (is_next) length = std::max(length, entry.key.size());
    }
    return length;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ConfigError(where_, message); }

  YamlNode* element(const std::string& part) {
    YamlNode index_text;
    index_text.kind = YamlKind::scalar;
    index_text.text = part;
    const std::optional<std::int64_t> index = int_of(index_text);
    const auto size = static_cast<std::int64_t>(node_->items.size());
    if (size == 0) fail(fmt::format("'{}' is an empty list, it has no '{}'", walked_, part));
    if (!index || *index < 0 || *index >= size) {
      fail(fmt::format("'{}' is a list, '{}' must be an index from 0 to {}", walked_, part,
                       size - 1));
    }
    in_list_ = true;
    return &node_->items[static_cast<std::size_t>(*index)];
  }

  YamlNode* member(const std::string& part) {
    if (node_->is_scalar() && in_list_) name_to_map();
    if (node_->is_scalar()) {
      fail(fmt::format("'{}' is {}, it has no '{}'", walked_, node_->describe(), part));
    }
    in_list_ = false;
    node_->kind = YamlKind::map;
    if (YamlNode* const value = node_->find(part)) return value;
    node_->entries.push_back({part, where_, {}});
    node_->entries.back().value.location = where_;
    return &node_->entries.back().value;
  }

  void name_to_map() {
    YamlNode name = *node_;
    const SourceLocation place = name.location;
    *node_ = {YamlKind::map, "", false, place, {}, {{"name", place, std::move(name)}}};
  }

  YamlNode* node_;
  SourceLocation where_;
  std::string walked_;
  bool in_list_ = false;
};

}  // namespace

void merge_over(YamlNode& base, const YamlNode& changes) {
  if (!base.is_map() || !changes.is_map()) {
    base = changes;
    return;
  }
  base.location = changes.location;
  for (const YamlEntry& change : changes.entries) {
    if (YamlNode* const value = base.find(change.key)) {
      merge_over(*value, change.value);
    } else {
      base.entries.push_back(change);
    }
  }
}

YamlDocument load_config(ConfigKind kind, const fs::path& path) {
  YamlDocument document = load_yaml(path);
  Chain chain{identity_of(path)};
  resolve(document.root, kind, chain);
  return document;
}

void resolve_extends(YamlNode& map, ConfigKind kind) {
  Chain chain;
  resolve(map, kind, chain);
}

void apply_override(YamlNode& root, const std::string& assignment) {
  const SourceLocation where{"--set " + excerpt(assignment, kLongestAssignment), 0, 0};
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw ConfigError(where, "no '=', must be key=value such as networks.0.batch=32");
  }
  YamlNode value = parse_yaml_value(assignment.substr(equals + 1), where);
  if (value.kind == YamlKind::null) {
    throw ConfigError(where, "no value after '=', must be key=value such as networks.0.batch=32");
  }
  set_value(root, std::string_view(assignment).substr(0, equals), std::move(value), where);
}

void set_value(YamlNode& root, std::string_view key, YamlNode value, const SourceLocation& where) {
  OverridePath path(root, where);
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t length = path.next_part(key.substr(begin));
    path.enter(std::string(key.substr(begin, length)));
    begin += length + 1;
  }
  path.node() = std::move(value);
}

void apply_overrides(YamlNode& root, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) apply_override(root, assignment);
}

}  // namespace stcsim
