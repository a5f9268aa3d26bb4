#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "common/io/json_text.hpp"

namespace stcsim {

/// Parses JSON text. @throws ConfigError with file:line:column if it is malformed or no UTF-8
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const std::string& file);

/// Typed access to a JSON value, which must outlive the reader. Every error is a ConfigError that
/// names the file and the place: "out.json: error: 'results[3].cycles' is missing", "... is
/// \"fast\", must be a whole number".
class JsonReader {
 public:
  JsonReader(const nlohmann::ordered_json& value, std::string file, std::string path = "");

  /// Fails unless the document's 'schema' is `expected`.
  void require_schema(std::string_view expected) const;

  void read(std::string_view key, std::string& value) const;
  void read(std::string_view key, std::int64_t& value) const;
  void read(std::string_view key, double& value) const;

  [[nodiscard]] bool has(std::string_view key) const;
  /// A whole number that is not negative.
  [[nodiscard]] std::int64_t count(std::string_view key) const;
  [[nodiscard]] JsonReader object(std::string_view key) const;
  [[nodiscard]] std::vector<JsonReader> array(std::string_view key) const;
  /// The text of every element of an array of texts.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;

 private:
  [[nodiscard]] const nlohmann::ordered_json& member(std::string_view key) const;
  [[nodiscard]] std::string place(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& wanted) const;

  const nlohmann::ordered_json* value_;
  std::string file_;
  std::string path_;
};

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
