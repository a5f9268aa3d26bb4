#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace stcsim {

/// The table MapReader::get_enum() takes, for an enumeration with a to_string(): its names and
/// values from the first, 0, to `last`.
template <class Value>
[[nodiscard]] std::vector<std::pair<std::string_view, Value>> names_until(Value last) {
  std::vector<std::pair<std::string_view, Value>> names;
  for (int index = 0; index <= static_cast<int>(last); ++index) {
    const auto value = static_cast<Value>(index);
    names.emplace_back(to_string(value), value);
  }
  return names;
}

}  // namespace stcsim
