#include "common/io/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/version.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

std::string compact(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string lines_of(const ordered_json& array) {
  std::string text = "[";
  std::string_view separator = "\n    ";
  for (const ordered_json& element : array) {
    text.append(separator).append(compact(element));
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

/// A line per value; lists of plain values on one.
std::string spread_text(const ordered_json& value, const std::string& indent) {
  const bool is_plain = std::none_of(value.begin(), value.end(),
                                     [](const ordered_json& one) { return one.is_structured(); });
  if (!value.is_structured() || value.empty() || (value.is_array() && is_plain)) {
    return compact(value);
  }
  std::string text;
  for (const auto& [key, item] : value.items()) {
    text += (text.empty() ? "\n" : ",\n") + indent + "  ";
    if (value.is_object()) text += compact(key) + ": ";
    text += spread_text(item, indent + "  ");
  }
  return (value.is_object() ? "{" : "[") + text + "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

ordered_json json_number(double value, std::string_view key) {
  if (!std::isfinite(value)) {
    throw SimulationError("'" + std::string(key) + "' is not a finite number");
  }
  return value + 0.0;
}

std::string document_text(const ordered_json& document, std::string_view spread) {
  std::string text = "{";
  std::string_view separator = "\n  ";
  for (const auto& [key, value] : document.items()) {
    const bool as_lines = value.is_array() && !value.empty();
    text.append(separator).append(compact(key)).append(": ");
    text.append(key == spread ? spread_text(value, "  ")
                : as_lines    ? lines_of(value)
                              : compact(value));
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

ordered_json document_head(std::string_view schema, const std::string& config_hash) {
  return {{"schema", schema}, {"version", program_version()}, {"config_hash", config_hash}};
}

ordered_json config_object(const std::string& resolved_config) {
  ordered_json config = try_parse_json(resolved_config);
  if (!config.is_object()) {
    throw std::invalid_argument("the resolved configuration is not the text of a JSON object");
  }
  return config;
}

}  // namespace stcsim
