#include "common/io/json_text.hpp"

#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
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

}  // namespace

ordered_json json_number(double value, std::string_view key) {
  if (!std::isfinite(value)) {
    throw SimulationError("'" + std::string(key) + "' is not a finite number");
  }
  return value + 0.0;
}

std::string document_text(const ordered_json& document) {
  std::string text = "{";
  std::string_view separator = "\n  ";
  for (const auto& [key, value] : document.items()) {
    const bool as_lines = value.is_array() && !value.empty();
    text.append(separator).append(compact(key)).append(": ");
    text.append(as_lines ? lines_of(value) : compact(value));
    separator = ",\n  ";
  }
  return text + "\n}\n";
}

ordered_json document_head(std::string_view schema, const std::string& config_hash) {
  return {{"schema", schema}, {"version", program_version()}, {"config_hash", config_hash}};
}

ordered_json config_object(const std::string& resolved_config) {
  ordered_json config = ordered_json::parse(resolved_config, nullptr, false);
  if (!config.is_object()) {
    throw std::invalid_argument("the resolved configuration is not the text of a JSON object");
  }
  return config;
}

}  // namespace stcsim
