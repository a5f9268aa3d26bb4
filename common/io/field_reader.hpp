#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Reads a struct by the table of its fields. Calls finish(); checks no value against another one.
template <HasFields Config>
[[nodiscard]] Config read_fields(MapReader& map);

/// A value in a form of its own, with
///   void read(MapReader& map, const Field& field);   the key is there
///   nlohmann::json to_json() const;
template <class Value>
concept ReadsItself = requires(Value value, MapReader& map, const Field& field) {
  value.read(map, field);
};

/// Visitor of a struct's fields that reads them from a map of a YAML file.
class FieldReader {
 public:
  explicit FieldReader(MapReader& map) : map_(map) {}

  template <class Value>
  void field(const Field& field, Value&& value) {
    if (!field.is_required && !map_.has(field.key)) return;
    try {
      read(field, value);
    } catch (const ConfigError& error) {
      errors_.add(error);
    }
  }
  template <class Value>
  void field(const Field& field, Value& value, const std::type_identity_t<Value>& fallback) {
    value = fallback;
    this->field(field, value);
  }
  void only(bool applies, std::string_view /*of*/, auto visit) {
    if (applies) visit();
  }
  template <class Group>
  void together(std::optional<Group>& group);
  /// Leaves the member as it is where the text is none: whoever knows what is right says so later.
  void text(const Field& field, auto& value, auto codec) {
    if (!field.is_required && !map_.has(field.key)) return;
    if (auto found = codec.read(map_.get_string(field.key))) value = std::move(*found);
  }
  /// All errors of the map, its unknown keys among them. Of a map that has any, what is missing may
  /// follow from them.
  void finish() {
    if (errors_.any()) map_.add_unknown_to(errors_);
    errors_.refuse();
    map_.finish();
  }

 private:
  void read(const Field& /*field*/, ReadElsewhere& /*value*/) {}
  void read(const Field& field, const YamlNode*& value) { value = &map_.get_node(field.key); }
  void read(const Field& field, std::int64_t& value);
  void read(const Field& field, std::uint64_t& value);
  void read(const Field& field, double& value);
  /// Cycles with up to three decimals.
  void read(const Field& field, Millicycles& value);
  void read(const Field& field, bool& value);
  void read(const Field& field, std::string& value);
  void read(const Field& field, std::vector<std::string>& value);
  void read(const Field& field, DataType& value);
  void read(const Field& field, Pattern& value);
  void read(const Field& field, std::vector<Pattern>& value);
  void read(const Field& field, std::vector<DataType>& value);
  void read(const Field& field, std::vector<std::int64_t>& value);
  void read(const Field& field, std::tuple<std::int64_t&, std::int64_t&>& value);
  void read(const Field& field, std::tuple<std::int64_t&, std::int64_t&, std::int64_t&>& value);
  template <class Value>
  requires std::is_enum_v<Value>
  void read(const Field& field, Value& value) {
    value = map_.get_enum(field.key, names_until(static_cast<Value>(field.most)));
  }
  template <class Value>
  requires std::is_enum_v<Value>
  void read(const Field& field, std::vector<Value>& values) {
    values = map_.get_enum_list(field.key, names_until(static_cast<Value>(field.most)));
  }
  template <class Value>
  void read(const Field& field, std::optional<Value>& value) {
    read(field, value.emplace());
  }
  template <ReadsItself Value>
  void read(const Field& field, Value& value) {
    value.read(map_, field);
  }
  template <HasFields Config>
  void read(const Field& field, Config& value) {
    MapReader map = map_.get_map(field.key);
    value = read_fields<Config>(map);
  }
  template <HasFields Config>
  void read(const Field& field, std::vector<Config>& values) {
    ConfigErrors errors;
    for (MapReader& entry : map_.get_maps(field.key)) {
      try {
        values.push_back(read_fields<Config>(entry));
      } catch (const ConfigError& error) {
        errors.add(error);
      }
    }
    errors.refuse();
  }

  MapReader& map_;
  ConfigErrors errors_;
};

/// Visitor that tells a map which keys there are, so that a misspelt one is answered with the right
/// one whatever is read first. What decides which there are (FieldReader::only) it reads itself.
class FieldNames {
 public:
  explicit FieldNames(MapReader& map) : map_(map) {}
  template <class Value>
  void field(const Field& field, Value&& value) {
    if (!map_.has(field.key)) return;
    is_any_there_ = true;
    take(field, map_.get_node(field.key), value);
  }
  template <class Value>
  void field(const Field& field, Value& value, const std::type_identity_t<Value>& fallback) {
    value = fallback;
    this->field(field, value);
  }
  void only(bool applies, std::string_view /*of*/, auto visit) {
    if (applies) visit();
  }
  template <class Group>
  void together(std::optional<Group>& group) {
    Group::visit_fields(group.emplace(), *this);
  }

  void text(const Field& field, const auto& /*value*/, auto /*codec*/) {
    static_cast<void>(map_.has(field.key));
  }

  [[nodiscard]] bool is_any_there() const { return is_any_there_; }

 private:
  template <class Value>
  static void take(const Field& field, const YamlNode& node, Value& value) {
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      value = int_of(node).value_or(value);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = node.text;
    } else if constexpr (std::is_enum_v<Value> && !std::is_same_v<Value, DataType>) {
      value = value_named(node.text, static_cast<Value>(field.most)).value_or(value);
    }
  }

  MapReader& map_;
  bool is_any_there_ = false;
};

template <class Group>
void FieldReader::together(std::optional<Group>& group) {
  FieldNames names(map_);
  Group unread;
  Group::visit_fields(unread, names);
  if (names.is_any_there()) Group::visit_fields(group.emplace(), *this);
}

template <HasFields Config>
Config read_fields(MapReader& map) {
  FieldNames names(map);
  Config unread;
  Config::visit_fields(unread, names);
  FieldReader reader(map);
  Config config;
  Config::visit_fields(config, reader);
  reader.finish();
  return config;
}

}  // namespace stcsim
