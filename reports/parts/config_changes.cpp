#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "reports/compare/comparison.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestValue = 60;
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kListsOfNamed{
    {{"machines", "machine"}, {"networks", "network"}, {"schemes", "scheme"}}};

std::string shown_value(const Json* value) {
  if (value == nullptr) return "-";
  return excerpt(value->is_string() ? value->get<std::string>() : value->dump(), kLongestValue);
}

std::string label_of(const Json& item, std::size_t index) {
  const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
  return named ? item["name"].get<std::string>() : std::to_string(index);
}

/// Entries by name, or by index where they have none.
std::vector<std::pair<std::string, const Json*>> entries_of(const Json& value) {
  std::vector<std::pair<std::string, const Json*>> entries;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) entries.emplace_back(key, &item);
  } else {
    for (const Json& item : value) entries.emplace_back(label_of(item, entries.size()), &item);
  }
  return entries;
}

const Json* find_in(const std::map<std::string, const Json*>& entries, const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : found->second;
}

/// Of a list with one entry before and now, whatever their names, entries are the same one.
bool is_same_one(const Json& before, const Json& now) {
  return before.is_array() && before.size() == 1 && now.size() == 1;
}

/// Numbers and texts only: their lists are shown as a whole.
bool is_plain_list(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_object(); });
}

/// "machines" and "a100" are "machine a100", which "clock_mhz" follows behind a colon.
std::string joined(const std::string& path, const std::string& key) {
  if (path.empty()) return key;
  for (const auto& [list, noun] : kListsOfNamed) {
    if (path == list) return fmt::format("{} {}:", noun, key);
  }
  return path + (path.ends_with(':') ? " " : ".") + key;
}

/// "machine a100:" is "machine a100" where the whole of it is new or gone.
std::string shown_key(std::string path) {
  if (path.ends_with(':')) path.pop_back();
  return path;
}

void collect(const std::string& path, const Json* before, const Json* now,
             std::vector<ConfigChange>& changes) {
  if (before != nullptr && now != nullptr && *before == *now) return;
  const bool comparable = before != nullptr && now != nullptr && before->type() == now->type() &&
                          before->is_structured() && !is_plain_list(*before) &&
                          !is_plain_list(*now);
  if (!comparable) {
    changes.push_back({shown_key(path), shown_value(before), shown_value(now)});
    return;
  }
  auto old_entries = entries_of(*before);
  const auto new_entries = entries_of(*now);
  if (is_same_one(*before, *now)) old_entries.front().first = new_entries.front().first;
  const std::map<std::string, const Json*> old_by_key(old_entries.begin(), old_entries.end());
  const std::map<std::string, const Json*> new_by_key(new_entries.begin(), new_entries.end());
  for (const auto& [key, value] : old_entries) {
    collect(joined(path, key), value, find_in(new_by_key, key), changes);
  }
  for (const auto& [key, value] : new_entries) {
    if (find_in(old_by_key, key) == nullptr) collect(joined(path, key), nullptr, value, changes);
  }
}

}  // namespace

std::vector<ConfigChange> config_changes(const std::string& before, const std::string& now) {
  const Json old_config = parse_json(before, "the configuration");
  const Json new_config = parse_json(now, "the configuration");
  std::vector<ConfigChange> changes;
  collect("", &old_config, &new_config, changes);
  return changes;
}

}  // namespace stcsim
