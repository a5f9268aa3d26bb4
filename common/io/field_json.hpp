#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// The values of a struct's fields in the form that FieldReader reads, keys sorted.
template <HasFields Config>
[[nodiscard]] nlohmann::json to_json(const Config& config);

[[nodiscard]] inline nlohmann::json value_to_json(std::int64_t value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(std::uint64_t value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(double value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(bool value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(const std::string& value) {
  return value;
}
template <class Value>
requires std::is_enum_v<Value>
[[nodiscard]] nlohmann::json value_to_json(Value value) {
  return to_string(value);
}
[[nodiscard]] inline nlohmann::json value_to_json(Pattern value) {
  return value.to_string();
}
/// A whole number where it is one.
[[nodiscard]] inline nlohmann::json value_to_json(Millicycles mean) {
  const std::int64_t millicycles = mean.count();
  if (millicycles % 1000 == 0) return millicycles / 1000;
  return static_cast<double>(millicycles) / 1000.0;
}
template <class... Numbers>
[[nodiscard]] nlohmann::json value_to_json(const std::tuple<Numbers&...>& values) {
  return std::apply([](const auto&... value) { return nlohmann::json{value...}; }, values);
}
template <HasFields Config>
[[nodiscard]] nlohmann::json value_to_json(const Config& config) {
  return to_json(config);
}
/// A type that reads itself.
template <class Value>
requires requires(const Value& value) {
  value.to_json();
}
[[nodiscard]] nlohmann::json value_to_json(const Value& value) {
  return value.to_json();
}
template <class Value>
[[nodiscard]] nlohmann::json value_to_json(const std::vector<Value>& values) {
  nlohmann::json array = nlohmann::json::array();
  for (const Value& value : values) array.push_back(value_to_json(value));
  return array;
}

template <class Value>
inline constexpr bool kIsOptional = false;
template <class Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;
/// Of a member: its initial value is what a file could say.
template <class Value>
inline constexpr bool kHasDefault =
    !kIsOptional<Value> && !std::is_pointer_v<Value> && !std::is_same_v<Value, ReadElsewhere> &&
    !requires(const Value& value) {
  value.to_json();
};

/// Visitor of a struct's fields that writes them, keys sorted; what is not there it leaves out.
class FieldWriter {
 public:
  nlohmann::json object = nlohmann::json::object();

  template <class Value>
  void field(const Field& field, const Value& value) {
    nlohmann::json& json = object[std::string(field.key)];
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      if (field.may_be_unlimited && value == field.most) {
        json = kUnlimited;
        return;
      }
    }
    json = value_to_json(value);
    if (json.is_null()) object.erase(std::string(field.key));
  }
  void field(const Field& /*field*/, const ReadElsewhere& /*value*/) {}
  template <class Value>
  void field(const Field& field, const std::optional<Value>& value) {
    if (value) this->field(field, *value);
  }
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& fallback) {
    if (!field.is_omitted || value != fallback) this->field(field, value);
  }
  void only(bool applies, std::string_view /*of*/, auto visit) {
    if (applies) visit();
  }
  /// No text where there is nothing to say.
  void text(const Field& field, const auto& value, auto codec) {
    std::string text = codec.write(value);
    if (!text.empty()) object[std::string(field.key)] = std::move(text);
  }
  template <class Group>
  void together(const std::optional<Group>& group) {
    if (group) Group::visit_fields(*group, *this);
  }
};

template <HasFields Config>
nlohmann::json to_json(const Config& config) {
  FieldWriter writer;
  Config::visit_fields(config, writer);
  return std::move(writer.object);
}

}  // namespace stcsim
