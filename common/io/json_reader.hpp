#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// Parses JSON text, ours or somebody else's: nothing else does (json_events.hpp for what is too
/// large to keep). Refuses more than kMostOpen lists and objects within each other, more than
/// kMostKeys keys of an object, and a key that is there twice.
/// @throws ConfigError with file:line:column if it is malformed or no UTF-8
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const std::string& file);

/// The same of a text that may be anything; a discarded value if parse_json() refuses it, but for
/// a key that is there twice: of these the last one counts.
[[nodiscard]] nlohmann::ordered_json try_parse_json(std::string_view text);

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
  /// Throws "'place' is ..., must be <wanted>".
  [[noreturn]] void refuse(std::string_view key, const std::string& wanted) const {
    fail(key, wanted);
  }

 private:
  [[nodiscard]] const nlohmann::ordered_json& member(std::string_view key) const;
  [[nodiscard]] std::string place(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, const std::string& wanted) const;

  const nlohmann::ordered_json* value_;
  std::string file_;
  std::string path_;
};

}  // namespace stcsim
