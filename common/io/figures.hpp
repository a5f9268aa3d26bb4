#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/figure_key.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"

namespace stcsim {

struct NoFigures {
  template <class Value>
  void operator()(const FigureKey& key, Value&& value);
};
/// A result with a list of its figures.
template <class Result>
concept Described = requires(Result& result, NoFigures& visit) {
  visit_figures(result, visit);
};

template <Described Result>
[[nodiscard]] nlohmann::ordered_json figures_of(const Result& result);
template <class Items, class FiguresOf>
[[nodiscard]] std::vector<nlohmann::ordered_json> figures_of_each(const Items& items,
                                                                  FiguresOf figures_of);

/// A figure's value as data files have it: a finite number, a name where it is of a kind, an object
/// or a list of them where it has figures itself, null where there is none.
template <class Value>
[[nodiscard]] nlohmann::ordered_json figure_value(const Value& value, std::string_view name) {
  if constexpr (std::is_same_v<Value, double>) {
    return json_number(value, name);
  } else if constexpr (std::is_enum_v<Value>) {
    return to_string(value);
  } else if constexpr (requires { value.to_string(); }) {
    return value.to_string();
  } else if constexpr (Described<const Value>) {
    return figures_of(value);
  } else if constexpr (requires { requires Described<const typename Value::value_type>; }) {
    return figures_of_each(value, [](const auto& one) { return figures_of(one); });
  } else {
    return value;
  }
}
template <class Value>
[[nodiscard]] nlohmann::ordered_json figure_value(const std::optional<Value>& value,
                                                  std::string_view name) {
  return value ? figure_value(*value, name) : nlohmann::ordered_json();
}

/// One figure of a result that has no list of its own.
struct Figure {
  template <class Value>
  Figure(std::string_view figure, const Value& is)
      : name(figure), value(figure_value(is, figure)) {}

  template <class Value>
  Figure(const FigureKey& figure, const Value& is) : Figure(figure.name, is) {}

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

/// All figures of a result, in order.
/// @throws SimulationError naming a number that is NaN or infinite
template <Described Result>
[[nodiscard]] nlohmann::ordered_json figures_of(const Result& result) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto write = [&](const FigureKey& key, const auto& value) {
    object[std::string(key.name)] = figure_value(value, key.name);
  };
  visit_figures(result, write);
  return object;
}

/// Those that a golden file keeps, in its order.
template <Described Result>
[[nodiscard]] nlohmann::ordered_json kept_figures(const Result& result) {
  std::vector<std::pair<FigureKey, nlohmann::ordered_json>> kept;
  const auto keep = [&](const FigureKey& key, const auto& value) {
    if (key.kept == 0) return;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (Described<const Value>) {
      kept.emplace_back(key, kept_figures(value));
    } else {
      kept.emplace_back(key, figure_value(value, key.name));
    }
  };
  visit_figures(result, keep);
  std::ranges::sort(kept, {}, [](const auto& one) { return one.first.kept; });
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (auto& [key, value] : kept) object[std::string(key.name)] = std::move(value);
  return object;
}

/// Reads them back; the result's other members are left as they are.
/// @throws ConfigError naming what is missing or of the wrong type
template <Described Result>
void read_kept_figures(const JsonReader& object, Result& result) {
  const auto read = [&](const FigureKey& key, auto&& value) {
    using Member = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_lvalue_reference_v<decltype(value)> && !std::is_const_v<Member>) {
      if (key.kept == 0) return;
      if constexpr (Described<Member>) {
        read_kept_figures(object.object(key.name), value);
      } else if constexpr (std::is_same_v<Member, std::int64_t>) {
        if (key.unit == kCyclesKey.unit)
          value = object.count(key.name);
        else
          object.read(key.name, value);
      } else if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, double>) {
        object.read(key.name, value);
      } else if constexpr (requires { take_name(std::string(), value); }) {
        std::string name;
        object.read(key.name, name);
        if (!take_name(name, value)) object.refuse(key.name, std::string(key.help));
      }
    }
  };
  visit_figures(result, read);
}

template <Described Result>
[[nodiscard]] std::vector<Result> read_all_kept(const std::vector<JsonReader>& objects) {
  std::vector<Result> all(objects.size());
  for (std::size_t at = 0; at < all.size(); ++at) read_kept_figures(objects[at], all[at]);
  return all;
}

/// Whether a document has the figures of such a result that it cannot lack, each of its type.
/// @throws ConfigError naming what is missing or of the wrong type
template <Described Result>
void check_figures(const JsonReader& object, const Result& shape = {}) {
  const auto check = [&](const FigureKey& key, const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if (key.is_later) return;
    if constexpr (Described<const Value>) {
      check_figures(object.object(key.name), value);
    } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
      double number = 0;
      object.read(key.name, number);
    } else if constexpr (
        std::is_enum_v<Value> || requires { std::string(value); } ||
        requires { value.to_string(); }) {
      std::string text;
      object.read(key.name, text);
    }
  };
  visit_figures(shape, check);
}

}  // namespace stcsim
