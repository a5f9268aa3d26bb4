#include "common/io/yaml_node.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "common/io/text_file.hpp"

namespace stcsim {

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto at = std::ranges::find(entries, key, &YamlEntry::key);
  return at == entries.end() ? nullptr : &at->value;
}

YamlNode* YamlNode::find(std::string_view key) {
  const auto at = std::ranges::find(entries, key, &YamlEntry::key);
  return at == entries.end() ? nullptr : &at->value;
}

std::string YamlNode::describe() const {
  switch (kind) {
    case YamlKind::null:
      return "empty";
    case YamlKind::list:
      return "a list";
    case YamlKind::map:
      return "a map";
    case YamlKind::scalar:
      break;
  }
  return quoted ? "the text \"" + text + "\"" : "'" + text + "'";
}

namespace {

/// Most values of a file: with their places they take some 100 MiB.
constexpr std::int64_t kMostValues = 300'000;

/// The parser keeps the tokens of a list in brackets until its end, as it may be a key: so many
/// are refused before it sees them.
void check_count(std::string_view text, const std::string& origin) {
  const auto separates = [](char letter) {
    return letter == ',' || letter == '[' || letter == '{';
  };
  if (std::ranges::count_if(text, separates) <= kMostValues) return;
  throw ConfigError(SourceLocation{origin},
                    fmt::format("it has more than {} commas and brackets, must be fewer: which "
                                "configuration has as many values?",
                                kMostValues));
}

/// The UTF-8 character at `at`.
std::string_view character_at(std::string_view line, std::size_t at) {
  const auto continues = [&](std::size_t next) {
    return next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0U) == 0x80U;
  };
  std::size_t end = at + 1;
  while (continues(end)) ++end;
  return line.substr(at, end - at);
}

/// Checks one line, given without its line feed.
void check_line(std::string_view line, const SourceLocation& start) {
  bool indentation = true;
  int open = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = character_at(line, at);
    const auto fail = [&](const std::string& message) {
      throw ConfigError({start.file, start.line, static_cast<int>(at) + 1}, message);
    };
    if (character == "\t" && indentation) fail("tab in the indentation, use spaces");
    if (character == "[" || character == "{") ++open;
    if (character == "]" || character == "}") --open;
    // The parser would keep all of the line, as what is in brackets may be a key.
    if (open > kMostOpen) fail(fmt::format("more than {} brackets are open here", kMostOpen));
    indentation = indentation && character == " ";
    at += character.size();
  }
}

/// The bytes of a configuration file.
/// @throws ConfigError if it cannot be read or is far too large to be one
std::string read_config_text(const std::filesystem::path& path) {
  return read_text_file(path, "a configuration file", kLargestConfig);
}

/// Refuses, with its place, what a YAML parser would misread in silence or choke on: control
/// characters, bytes that are not UTF-8 (check_encoding), tabs used as indentation, and brackets
/// within brackets beyond all reason.
void check_config_text(const std::string& text, const std::string& origin) {
  check_encoding(text, origin);
  check_controls(text, origin);
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    check_line(std::string_view(text).substr(begin, end - begin), {origin, line, 1});
    begin = end + 1;
  }
}

/// Builds a YamlNode tree from the parser's events, which know every value's place. (yaml-cpp's
/// own Node tree drops the first of two equal keys without a word.)
class TreeBuilder : public YAML::EventHandler {
 public:
  /// @param most values
  TreeBuilder(std::string origin, std::int64_t most) : origin_(std::move(origin)), left_(most) {}

  [[nodiscard]] YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw ConfigError(location_of(mark), "a second document begins here, must be one per file");
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (awaits_key()) throw ConfigError(location_of(mark), "a key is empty, must be a name");
    YamlNode node = make_node(YamlKind::null, mark, "?", anchor);
    // The parser's mark of an empty value is wherever the next token stands.
    if (!open_.empty()) {
      const YamlNode& parent = *open_.back();
      node.location = parent.is_map() ? parent.entries.back().key_location : parent.location;
    }
    place(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { refuse_alias(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make_node(YamlKind::scalar, mark, tag, anchor);
    if (awaits_key()) {
      add_key(value, node.location);
      return;
    }
    node.text = value;
    node.quoted = tag == "!";
    place(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make_node(YamlKind::list, mark, tag, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make_node(YamlKind::map, mark, tag, anchor));
  }
  void OnMapEnd() override { close(); }

 private:
  [[nodiscard]] SourceLocation location_of(const YAML::Mark& mark) const {
    return {origin_, mark.line + 1, mark.column + 1};
  }
  [[noreturn]] void refuse_alias(const YAML::Mark& mark) const {
    throw ConfigError(location_of(mark),
                      "anchors, aliases and merge keys (&, *, <<) are not supported, use extends");
  }
  [[nodiscard]] YamlNode make_node(YamlKind kind, const YAML::Mark& mark, const std::string& tag,
                                   YAML::anchor_t anchor) {
    if (--left_ < 0) {
      throw ConfigError(location_of(mark),
                        fmt::format("the file has more than {} keys and values", kMostValues));
    }
    if (anchor != YAML::NullAnchor) refuse_alias(mark);
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw ConfigError(location_of(mark), "tags (!) are not supported, leave it out");
    }
    YamlNode node;
    node.kind = kind;
    node.location = location_of(mark);
    return node;
  }
  [[nodiscard]] bool in_map() const { return !open_.empty() && open_.back()->is_map(); }
  [[nodiscard]] bool awaits_key() const { return in_map() && !has_key_.back(); }

  void add_key(const std::string& key, const SourceLocation& where) {
    YamlNode& map = *open_.back();
    if (key == "<<") {
      throw ConfigError(where, "merge keys (<<) are not supported, use extends");
    }
    for (const YamlEntry& entry : map.entries) {
      if (entry.key == key) {
        throw ConfigError(where, "key '" + key + "' is here a second time, the first is at line " +
                                     std::to_string(entry.key_location.line));
      }
    }
    if (map.entries.size() == kMostKeys) {
      throw ConfigError(where, "a map has more than " + std::to_string(kMostKeys) + " keys");
    }
    map.entries.push_back({key, where, {}});
    has_key_.back() = true;
  }
  YamlNode* place(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    YamlNode& parent = *open_.back();
    if (parent.is_list()) return &parent.items.emplace_back(std::move(node));
    has_key_.back() = false;
    parent.entries.back().value = std::move(node);
    return &parent.entries.back().value;
  }
  void open(YamlNode node) {
    if (awaits_key()) {
      const char* const end = node.is_list() ? "]" : "}";
      throw ConfigError(node.location, "a key is " + node.describe() +
                                           ", must be a name (or is a '" + end + "' missing?)");
    }
    open_.push_back(place(std::move(node)));
    has_key_.push_back(false);
  }
  void close() {
    open_.pop_back();
    has_key_.pop_back();
  }

  std::string origin_;
  std::int64_t left_;
  int documents_ = 0;
  YamlNode root_;
  /// The lists and maps still open, outermost first: only the innermost grows, so none of them
  /// moves; and, for each map, whether a key waits for its value.
  std::vector<YamlNode*> open_;
  std::vector<bool> has_key_;
};

/// The parser's place, at most the last line of the text: what it misses at the end it reports
/// behind it.
SourceLocation place_in(const std::string& text, const std::string& origin,
                        const YAML::Mark& mark) {
  const auto breaks = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  const int lines = std::max(1, text.ends_with('\n') ? breaks : breaks + 1);
  if (mark.line >= lines) return {origin, lines, 1};
  return {origin, mark.line + 1, mark.column + 1};
}

YamlNode parse_tree(const std::string& text, const std::string& origin, std::int64_t most) {
  check_config_text(text, origin);
  TreeBuilder builder(origin, most);
  // Without something on the last line, the parser takes a quote that is never closed for closed.
  std::istringstream stream(text + "\n#");
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& problem) {
    throw ConfigError(place_in(text, origin, problem.mark), "not valid YAML: " + problem.msg);
  }
  return builder.take_root();
}

void relocate(YamlNode& node, const SourceLocation& where) {
  node.location = where;
  for (YamlNode& item : node.items) relocate(item, where);
  for (YamlEntry& entry : node.entries) {
    entry.key_location = where;
    relocate(entry.value, where);
  }
}

/// Whatever the text has, if it is a map.
YamlDocument document_of(YamlNode root, const std::string& origin) {
  YamlDocument document{origin, std::move(root)};
  if (document.root.kind == YamlKind::null) {
    throw ConfigError({origin, 1, 1}, "the file is empty, must be a map of keys and values");
  }
  if (!document.root.is_map()) {
    throw ConfigError(document.root.location, "the file is " + document.root.describe() +
                                                  ", must be a map of keys and values");
  }
  return document;
}

}  // namespace

YamlDocument load_yaml(const std::filesystem::path& path) {
  struct KnownFile {
    std::string text;
    YamlNode root;
  };
  // The machines of a space name the same libraries: a file that still has its text is not parsed
  // again.
  constexpr std::size_t kMostKnown = 64;
  thread_local std::map<std::string, KnownFile> known;
  std::string text = read_config_text(path);
  const std::string origin = path.string();
  const auto found = known.find(origin);
  if (found != known.end() && found->second.text == text) {
    return document_of(found->second.root, origin);
  }
  check_count(text, origin);
  YamlNode root = parse_tree(text, origin, kMostValues);
  if (known.size() >= kMostKnown) known.clear();
  known[origin] = {std::move(text), root};
  return document_of(std::move(root), origin);
}

YamlDocument parse_yaml(const std::string& text, const std::string& origin) {
  constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
  return document_of(parse_tree(text, origin, kAny), origin);
}

YamlNode parse_yaml_value(const std::string& text, const SourceLocation& where) {
  try {
    YamlNode node = parse_tree(text, "value", kMostValues);
    relocate(node, where);
    return node;
  } catch (const ConfigError& problem) {
    const std::string text_of_problem = problem.what();
    constexpr std::string_view kMark = "error: ";
    throw ConfigError(where, text_of_problem.substr(text_of_problem.find(kMark) + kMark.size()));
  }
}

}  // namespace stcsim
