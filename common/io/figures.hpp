#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"

namespace stcsim {

/// A figure's value as data files have it: a finite number, a name where it is of a kind, null
/// where there is none.
template <class Value>
[[nodiscard]] nlohmann::ordered_json figure_value(const Value& value, std::string_view name) {
  if constexpr (std::is_same_v<Value, double>) {
    return json_number(value, name);
  } else if constexpr (std::is_enum_v<Value>) {
    return to_string(value);
  } else if constexpr (requires { value.to_string(); }) {
    return value.to_string();
  } else {
    return value;
  }
}
template <class Value>
[[nodiscard]] nlohmann::ordered_json figure_value(const std::optional<Value>& value,
                                                  std::string_view name) {
  return value ? figure_value(*value, name) : nlohmann::ordered_json();
}

/// One figure of a result. A result has one list of them, in the order of its documents: JSON, CSV
/// and the page are made from it.
struct Figure {
  template <class Value>
  Figure(std::string_view figure, const Value& is)
      : name(figure), value(figure_value(is, figure)) {}

  std::string_view name;
  nlohmann::ordered_json value;
};

/// Appends them, in order; what is there already is replaced.
/// @throws SimulationError naming a number that is NaN or infinite
inline void add_figures(nlohmann::ordered_json& object, std::initializer_list<Figure> list) {
  for (const Figure& figure : list) object[std::string(figure.name)] = figure.value;
}

[[nodiscard]] inline nlohmann::ordered_json figures(std::initializer_list<Figure> list) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  add_figures(object, list);
  return object;
}

/// The figures of what may be there; null where it is not.
template <class Maybe, class FiguresOf>
[[nodiscard]] nlohmann::ordered_json figures_if(const Maybe& maybe, FiguresOf figures_of) {
  return maybe ? nlohmann::ordered_json(figures_of(*maybe)) : nlohmann::ordered_json();
}

/// An object of figures for each: the rows of a table, or an array of a document.
template <class Items, class FiguresOf>
[[nodiscard]] std::vector<nlohmann::ordered_json> figures_of_each(const Items& items,
                                                                  FiguresOf figures_of) {
  std::vector<nlohmann::ordered_json> rows;
  rows.reserve(items.size());
  for (const auto& item : items) rows.push_back(figures_of(item));
  return rows;
}

}  // namespace stcsim
