#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"

namespace stcsim {

/// A key of a JSON object and the struct member it stands for. One list per struct serves writing
/// and reading, so that the two cannot drift apart.
template <typename Struct>
struct JsonField {
  std::string_view key;
  std::variant<std::string Struct::*, std::int64_t Struct::*, double Struct::*, bool Struct::*,
               std::optional<double> Struct::*>
      member;
};

template <typename Value>
[[nodiscard]] nlohmann::ordered_json json_value(const Value& value, std::string_view) {
  return value;
}
[[nodiscard]] inline nlohmann::ordered_json json_value(double value, std::string_view key) {
  return json_number(value, key);
}
/// null if there is none.
[[nodiscard]] inline nlohmann::ordered_json json_value(const std::optional<double>& value,
                                                       std::string_view key) {
  return value ? json_number(*value, key) : nlohmann::ordered_json();
}

/// Appends the fields to `object` in the list's order.
template <typename Struct, std::size_t count>
void write_fields(nlohmann::ordered_json& object, const Struct& from,
                  const std::array<JsonField<Struct>, count>& fields) {
  for (const JsonField<Struct>& field : fields) {
    std::visit(
        [&](auto member) { object[std::string(field.key)] = json_value(from.*member, field.key); },
        field.member);
  }
}

/// Reads every field; all but optional ones must be there, and be of the right type.
template <typename Struct, std::size_t count>
void read_fields(const JsonReader& object, Struct& into,
                 const std::array<JsonField<Struct>, count>& fields) {
  for (const JsonField<Struct>& field : fields) {
    std::visit([&](auto member) { object.read(field.key, into.*member); }, field.member);
  }
}

}  // namespace stcsim
