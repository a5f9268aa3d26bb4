#include "common/io/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestShown = 40;

SourceLocation location_of(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

std::string shown(const ordered_json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return text.size() <= kLongestShown ? text
                                      : "a text of " + std::to_string(text.size()) + " bytes";
}

bool is_int64(const ordered_json& value) {
  if (!value.is_number_integer()) return false;
  return !value.is_number_unsigned() ||
         value.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

/// The first key that an object has twice.
std::string key_that_is_twice(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto look = [&](int depth, ordered_json::parse_event_t event, ordered_json& value) {
    keys.resize(std::max(keys.size(), static_cast<std::size_t>(depth) + 2));
    if (event == ordered_json::parse_event_t::object_start) {
      keys[static_cast<std::size_t>(depth) + 1].clear();
    } else if (event == ordered_json::parse_event_t::key && twice.empty()) {
      const auto name = value.get<std::string>();
      if (!keys[static_cast<std::size_t>(depth)].insert(name).second) twice = name;
    }
    return true;
  };
  static_cast<void>(ordered_json::parse(text, look).size());
  return twice;
}

/// @param is_key_twice becomes true where an object has a key twice, of which the last one counts
ordered_json parse_with_limits(std::string_view text, const std::string& file, bool& is_key_twice) {
  check_encoding(text, file);
  std::vector<std::size_t> keys;  // of the objects around, outermost first
  const auto limit = [&](int depth, ordered_json::parse_event_t event, ordered_json& value) {
    if (depth > kMostOpen) {
      throw ConfigError(SourceLocation{file}, "more than " + std::to_string(kMostOpen) +
                                                  " lists and objects are within each other");
    }
    keys.resize(std::max(keys.size(), static_cast<std::size_t>(depth) + 2));
    std::size_t& inside = keys[static_cast<std::size_t>(depth) + 1];
    if (event == ordered_json::parse_event_t::object_start) {
      inside = 0;
    } else if (event == ordered_json::parse_event_t::key &&
               ++keys[static_cast<std::size_t>(depth)] > kMostKeys) {
      throw ConfigError(SourceLocation{file},
                        "an object has more than " + std::to_string(kMostKeys) + " keys");
    } else if (event == ordered_json::parse_event_t::object_end) {
      is_key_twice = is_key_twice || value.size() != inside;
    }
    return true;
  };
  try {
    return ordered_json::parse(text, limit);
  } catch (const ordered_json::parse_error& error) {
    // `byte` counts the bytes read, the offending one included.
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    const std::string what = byte < text.size() ? "malformed JSON" : "the JSON text ends too early";
    throw ConfigError(location_of(file, text, byte), what);
  } catch (const ordered_json::out_of_range&) {
    throw ConfigError(SourceLocation{file}, "a number is too large for a double");
  }
}

}  // namespace

ordered_json parse_json(std::string_view text, const std::string& file) {
  bool is_key_twice = false;
  ordered_json parsed = parse_with_limits(text, file, is_key_twice);
  if (!is_key_twice) return parsed;
  throw ConfigError(SourceLocation{file}, "key '" + key_that_is_twice(text) + "' is there twice");
}

ordered_json try_parse_json(std::string_view text) {
  try {
    bool is_key_twice = false;
    return parse_with_limits(text, "", is_key_twice);
  } catch (const ConfigError&) {
    return ordered_json::value_t::discarded;
  }
}

JsonReader::JsonReader(const ordered_json& value, std::string file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {
  if (value_->is_object()) return;
  throw ConfigError(SourceLocation{file_}, (path_.empty() ? "the document" : "'" + path_ + "'") +
                                               " is " + shown(*value_) + ", must be an object");
}

void JsonReader::require_schema(std::string_view expected) const {
  std::string schema;
  read("schema", schema);
  if (schema != expected) fail("schema", "\"" + std::string(expected) + "\"");
}

void JsonReader::read(std::string_view key, std::string& value) const {
  const ordered_json& found = member(key);
  if (!found.is_string()) fail(key, "a text");
  value = found.get<std::string>();
}

void JsonReader::read(std::string_view key, std::int64_t& value) const {
  const ordered_json& found = member(key);
  if (!is_int64(found)) fail(key, "a whole number below 2^63");
  value = found.get<std::int64_t>();
}

void JsonReader::read(std::string_view key, double& value) const {
  const ordered_json& found = member(key);
  if (!found.is_number()) fail(key, "a number");
  value = found.get<double>();
}

bool JsonReader::has(std::string_view key) const {
  return value_->is_object() && value_->contains(std::string(key));
}

std::int64_t JsonReader::count(std::string_view key) const {
  std::int64_t value = 0;
  read(key, value);
  if (value < 0) fail(key, "a whole number from 0");
  return value;
}

JsonReader JsonReader::object(std::string_view key) const {
  return JsonReader(member(key), file_, place(key));
}

std::vector<JsonReader> JsonReader::array(std::string_view key) const {
  const ordered_json& found = member(key);
  if (!found.is_array()) fail(key, "an array");
  std::vector<JsonReader> elements;
  for (const ordered_json& element : found) {
    elements.emplace_back(element, file_, place(key) + "[" + std::to_string(elements.size()) + "]");
  }
  return elements;
}

std::vector<std::string> JsonReader::texts(std::string_view key) const {
  const ordered_json& found = member(key);
  const bool all_texts =
      found.is_array() && std::all_of(found.begin(), found.end(),
                                      [](const ordered_json& item) { return item.is_string(); });
  if (!all_texts) fail(key, "an array of texts");
  return found.get<std::vector<std::string>>();
}

const ordered_json& JsonReader::member(std::string_view key) const {
  const auto found = value_->find(std::string(key));
  if (found != value_->end()) return *found;
  throw ConfigError(SourceLocation{file_}, "'" + place(key) + "' is missing");
}

std::string JsonReader::place(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void JsonReader::fail(std::string_view key, const std::string& wanted) const {
  throw ConfigError(SourceLocation{file_},
                    "'" + place(key) + "' is " + shown(member(key)) + ", must be " + wanted);
}

}  // namespace stcsim
