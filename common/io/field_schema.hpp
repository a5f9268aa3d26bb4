#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/io/field_json.hpp"

namespace stcsim {

/// A JSON Schema (draft 2020-12) of a kind of file that says everything itself, without `extends`:
/// keys, types, ranges, defaults and what they mean. What keys demand of each other it does not
/// say: reading the file does.
template <HasFields Config>
[[nodiscard]] nlohmann::ordered_json schema_of_file(std::string_view title);

/// How a JSON Schema describes what a field may be.
namespace schema {

using OrderedJson = nlohmann::ordered_json;

template <HasFields Config>
OrderedJson of_fields();

inline OrderedJson integers(const Field& field) {
  return {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
}

inline OrderedJson patterns() {
  return {
      {"anyOf",
       {{{"type", "string"},
         {"pattern", "^([0-9]+:[0-9]+( pairs| outputs|x[0-9]+:[0-9]+)?|[0-9]+:2:[0-9]+|dense)$"}},
        {{"type", "object"},
         {"properties",
          {{"n", {{"type", "integer"}}},
           {"m", {{"type", "integer"}}},
           {"pairs", {{"type", "boolean"}}}}},
         {"required", {"n", "m"}},
         {"additionalProperties", false}}}}};
}

inline OrderedJson list_of(OrderedJson items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

inline OrderedJson of(const Field& field, const std::int64_t& /*type*/) {
  if (!field.may_be_unlimited) return integers(field);
  return {{"anyOf", {integers(field), {{"const", kUnlimited}}}}};
}
inline OrderedJson of(const Field& field, const std::uint64_t& /*type*/) {
  return integers(field);
}
inline OrderedJson of(const Field& field, const double& /*type*/) {
  OrderedJson number{{"type", "number"}};
  if (field.least == 0 && field.most == 0 && field.most_real <= 0) return number;
  number[field.is_above_least ? "exclusiveMinimum" : "minimum"] = field.least;
  if (field.least_real > 0) number["minimum"] = field.least_real;
  number["maximum"] = field.most;
  if (field.most_real > 0) number["maximum"] = field.most_real;
  return number;
}
inline OrderedJson of(const Field& field, const Millicycles& /*type*/) {
  return of(field, double());
}
inline OrderedJson of(const Field& /*field*/, const bool& /*type*/) {
  return {{"type", "boolean"}};
}
inline OrderedJson of(const Field& field, const std::string& /*type*/) {
  if (field.may_be_number) return {{"type", OrderedJson::array({"string", "integer"})}};
  return {{"type", "string"}, {"minLength", 1}};
}
inline OrderedJson of(const Field& field, const DataType& /*type*/) {
  OrderedJson names = OrderedJson::array();
  for (const DataType type : field.types) names.push_back(to_string(type));
  return {{"enum", names}};
}
template <class Value>
requires std::is_enum_v<Value> OrderedJson of(const Field& field, const Value& /*type*/) {
  OrderedJson names = OrderedJson::array();
  for (const auto& [name, value] : names_until(static_cast<Value>(field.most))) {
    names.push_back(name);
  }
  return {{"enum", names}};
}
inline OrderedJson of(const Field& /*field*/, const Pattern& /*type*/) {
  return patterns();
}
/// Anything: the schema does not say what.
template <class Value>
requires(!kHasDefault<Value> && !kIsOptional<Value>) OrderedJson
    of(const Field& /*field*/, const Value& /*type*/) {
  return OrderedJson::object();
}
template <class... Numbers>
OrderedJson of(const Field& field, const std::tuple<Numbers&...>& /*type*/) {
  OrderedJson list = list_of(integers(field));
  list["minItems"] = list["maxItems"] = sizeof...(Numbers);
  if (!field.may_be_one) return list;
  return {{"anyOf", {integers(field), list}}};
}
template <HasFields Config>
OrderedJson of(const Field& /*field*/, const Config& /*type*/) {
  return of_fields<Config>();
}
template <class Value>
OrderedJson of(const Field& field, const std::optional<Value>& /*type*/) {
  return of(field, Value());
}
template <class Value>
OrderedJson of(const Field& field, const std::vector<Value>& /*type*/) {
  OrderedJson items = of(field, Value());
  if constexpr (requires { Value::complete_schema(items); }) Value::complete_schema(items);
  if constexpr (requires { Value::kMayBeNamed; }) {
    items["type"] = OrderedJson::array({"object", "string"});
  }
  return list_of(std::move(items));
}

/// Visitor of a struct's fields that describes them.
class SchemaWriter {
 public:
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();

  template <class Value>
  void field(const Field& field, const Value& value) {
    OrderedJson& property = describe(field, value);
    if (field.is_required) {
      if (of_.empty()) required.push_back(field.key);
    } else if constexpr (kHasDefault<Value>) {
      property["default"] = value_to_json(value);
    }
  }
  /// Where the default is not that of the struct it is said in words, if at all.
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& /*none*/) {
    static_cast<void>(describe(field, value));
  }
  void text(const Field& field, const auto& /*value*/, auto /*codec*/) {
    static_cast<void>(describe(field, std::string()));
    if (field.is_required && of_.empty()) required.push_back(field.key);
  }
  void only(bool /*applies*/, std::string_view of, auto visit) {
    const std::string_view before = std::exchange(of_, of);
    visit();
    of_ = before;
  }
  template <class Group>
  void together(const std::optional<Group>& /*group*/) {
    const Group group;
    only(true, "some", [&] { Group::visit_fields(group, *this); });
  }

 private:
  template <class Value>
  OrderedJson& describe(const Field& field, const Value& value) {
    OrderedJson& property = properties[std::string(field.key)];
    property = of(field, value);
    property["description"] = field.help;
    return property;
  }

  /// Who alone has the keys.
  std::string_view of_;
};

template <HasFields Config>
OrderedJson of_fields() {
  SchemaWriter writer;
  const Config config;
  Config::visit_fields(config, writer);
  return {{"type", "object"},
          {"properties", std::move(writer.properties)},
          {"required", std::move(writer.required)},
          {"additionalProperties", false}};
}

}  // namespace schema

template <HasFields Config>
nlohmann::ordered_json schema_of_file(std::string_view title) {
  nlohmann::ordered_json file{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                              {"title", title}};
  file.update(schema::of_fields<Config>());
  return file;
}

}  // namespace stcsim
