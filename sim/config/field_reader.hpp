#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "models/base/config_field.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// Reads a struct by the table of its fields. Calls finish(); checks no value against another one.
template <HasFields Config>
[[nodiscard]] Config read_fields(MapReader& map);

/// Visitor of a struct's fields that reads them from a map of a YAML file.
class FieldReader {
 public:
  explicit FieldReader(MapReader& map) : map_(map) {}

  template <class Value>
  void field(const Field& field, Value&& value) {
    if (field.is_required || map_.has(field.key)) read(field, value);
  }
  template <class Value>
  void field(const Field& field, Value& value, const std::type_identity_t<Value>& fallback) {
    value = fallback;
    this->field(field, value);
  }

 private:
  void read(const Field& field, std::int64_t& value);
  void read(const Field& field, double& value);
  /// Cycles with up to three decimals.
  void read(const Field& field, Millicycles& value);
  void read(const Field& field, bool& value);
  void read(const Field& field, std::optional<bool>& value);
  void read(const Field& field, std::string& value);
  void read(const Field& field, std::vector<std::string>& value);
  void read(const Field& field, DataType& value);
  void read(const Field& field, Pattern& value);
  void read(const Field& field, std::vector<Pattern>& value);
  void read(const Field& field, std::vector<DataType>& value);
  void read(const Field& field, std::vector<std::int64_t>& value);
  void read(const Field& field, std::tuple<std::int64_t&, std::int64_t&>& value);
  void read(const Field& field, std::tuple<std::int64_t&, std::int64_t&, std::int64_t&>& value);
  template <HasFields Config>
  void read(const Field& field, Config& value) {
    MapReader map = map_.get_map(field.key);
    value = read_fields<Config>(map);
  }
  template <HasFields Config>
  void read(const Field& field, std::vector<Config>& values) {
    for (MapReader& entry : map_.get_maps(field.key)) values.push_back(read_fields<Config>(entry));
  }

  MapReader& map_;
};

/// Visitor that tells a map which keys there are, so that a misspelt one is answered with the right
/// one whatever is read first.
class FieldNames {
 public:
  explicit FieldNames(MapReader& map) : map_(map) {}
  template <class Value>
  void field(const Field& field, const Value& /*value*/) {
    static_cast<void>(map_.has(field.key));
  }
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& /*none*/) {
    this->field(field, value);
  }

 private:
  MapReader& map_;
};

template <HasFields Config>
Config read_fields(MapReader& map) {
  Config config;
  FieldNames names(map);
  Config::visit_fields(config, names);
  FieldReader reader(map);
  Config::visit_fields(config, reader);
  map.finish();
  return config;
}

}  // namespace stcsim
