#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/pattern.hpp"
#include "models/base/config_field.hpp"
#include "models/base/time.hpp"

namespace stcsim {

// The values of a struct's fields in the form that FieldReader reads.

template <HasFields Config>
[[nodiscard]] nlohmann::json fields_to_json(const Config& config);

[[nodiscard]] inline nlohmann::json value_to_json(std::int64_t value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(double value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(bool value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(const std::optional<bool>& value) {
  return *value;
}
[[nodiscard]] inline nlohmann::json value_to_json(const std::string& value) {
  return value;
}
[[nodiscard]] inline nlohmann::json value_to_json(DataType value) {
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
  return fields_to_json(config);
}
template <class Value>
[[nodiscard]] nlohmann::json value_to_json(const std::vector<Value>& values) {
  nlohmann::json array = nlohmann::json::array();
  for (const Value& value : values) array.push_back(value_to_json(value));
  return array;
}

/// Visitor of a struct's fields that writes them, keys sorted.
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
  }
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& fallback) {
    if (!field.is_omitted || value != fallback) this->field(field, value);
  }
};

template <HasFields Config>
nlohmann::json fields_to_json(const Config& config) {
  FieldWriter writer;
  Config::visit_fields(config, writer);
  return std::move(writer.object);
}

}  // namespace stcsim
