#include "sim/config/machine_schema.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "sim/config/field_json.hpp"
#include "sim/config/framework_fields.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <HasFields Config>
OrderedJson schema_of_fields();

OrderedJson integers(const Field& field) {
  return {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
}

OrderedJson patterns() {
  return {{"anyOf",
           {{{"type", "string"}, {"pattern", "^([0-9]+:[0-9]+( pairs)?|dense)$"}},
            {{"type", "object"},
             {"properties",
              {{"n", {{"type", "integer"}}},
               {"m", {{"type", "integer"}}},
               {"pairs", {{"type", "boolean"}}}}},
             {"required", {"n", "m"}},
             {"additionalProperties", false}}}}};
}

OrderedJson list_of(OrderedJson items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

OrderedJson schema_of(const Field& field, const std::int64_t& /*type*/) {
  if (!field.may_be_unlimited) return integers(field);
  return {{"anyOf", {integers(field), {{"const", kUnlimited}}}}};
}
OrderedJson schema_of(const Field& field, const double& /*type*/) {
  return {{"type", "number"}, {"minimum", field.least}, {"maximum", field.most}};
}
OrderedJson schema_of(const Field& field, const Millicycles& /*type*/) {
  return schema_of(field, double());
}
OrderedJson schema_of(const Field& /*field*/, const bool& /*type*/) {
  return {{"type", "boolean"}};
}
OrderedJson schema_of(const Field& /*field*/, const std::optional<bool>& /*type*/) {
  return {{"type", "boolean"}};
}
OrderedJson schema_of(const Field& /*field*/, const std::string& /*type*/) {
  return {{"type", "string"}, {"minLength", 1}};
}
OrderedJson schema_of(const Field& field, const DataType& /*type*/) {
  OrderedJson names = OrderedJson::array();
  for (const DataType type : field.types) names.push_back(to_string(type));
  return {{"enum", names}};
}
OrderedJson schema_of(const Field& /*field*/, const Pattern& /*type*/) {
  return patterns();
}
OrderedJson schema_of(const Field& field, const std::vector<std::string>& /*type*/) {
  return list_of(schema_of(field, std::string()));
}
OrderedJson schema_of(const Field& /*field*/, const std::vector<Pattern>& /*type*/) {
  return list_of(patterns());
}
OrderedJson schema_of(const Field& field, const std::vector<DataType>& /*type*/) {
  return list_of(schema_of(field, DataType()));
}
OrderedJson schema_of(const Field& field, const std::vector<std::int64_t>& /*type*/) {
  return list_of(integers(field));
}
/// Of kernels: kernel_family.hpp.
void allow_families(OrderedJson& kernel) {
  OrderedJson& tiles = kernel["properties"]["tiles"];
  const OrderedJson warps = kernel["properties"]["warps"];
  tiles = {{"anyOf",
            {list_of({{"type", "string"}, {"pattern", "^[0-9]+x[0-9]+x[0-9]+_s[0-9]+$"}}),
             {{"type", "object"}, {"additionalProperties", warps}}}},
           {"description", "in place of tile and stages, as a map also of warps: a family"}};
  OrderedJson required = OrderedJson::array();
  for (const OrderedJson& key : kernel["required"]) {
    if (key != "tile" && key != "stages" && key != "warps") required.push_back(key);
  }
  kernel["required"] = std::move(required);
}

template <class... Numbers>
OrderedJson schema_of(const Field& field, const std::tuple<Numbers&...>& /*type*/) {
  OrderedJson list = list_of(integers(field));
  list["minItems"] = list["maxItems"] = sizeof...(Numbers);
  return list;
}
template <HasFields Config>
OrderedJson schema_of(const Field& /*field*/, const Config& /*type*/) {
  return schema_of_fields<Config>();
}
template <HasFields Config>
OrderedJson schema_of(const Field& /*field*/, const std::vector<Config>& /*type*/) {
  OrderedJson items = schema_of_fields<Config>();
  if constexpr (requires(Config one) { one.kernel; } || std::is_same_v<Config, KernelConfig>) {
    allow_families(items);
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
      required.push_back(field.key);
    } else {
      property["default"] = value_to_json(value);
    }
  }
  /// Where the default is not that of the struct it is said in words, if at all.
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& /*none*/) {
    static_cast<void>(describe(field, value));
  }

 private:
  template <class Value>
  OrderedJson& describe(const Field& field, const Value& value) {
    OrderedJson& property = properties[std::string(field.key)];
    property = schema_of(field, value);
    property["description"] = field.help;
    return property;
  }
};

template <HasFields Config>
OrderedJson schema_of_fields() {
  SchemaWriter writer;
  const Config config;
  Config::visit_fields(config, writer);
  return {{"type", "object"},
          {"properties", std::move(writer.properties)},
          {"required", std::move(writer.required)},
          {"additionalProperties", false}};
}

template <HasFields Config>
OrderedJson titled(const char* title) {
  OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(schema_of_fields<Config>());
  return schema;
}

}  // namespace

nlohmann::ordered_json machine_schema() {
  return titled<MachineConfig>("A machine that stcsim simulates");
}

nlohmann::ordered_json framework_schema() {
  return titled<FrameworkFields>("A framework whose kernels stcsim simulates");
}

}  // namespace stcsim
