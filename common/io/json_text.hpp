#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// JSON as data files print it: the same value always gives the same bytes.

/// A finite number, shortest digits that read back as the same double; -0 becomes 0.
/// @throws SimulationError naming `key` if the value is NaN or infinite
[[nodiscard]] nlohmann::ordered_json json_number(double value, std::string_view key);

/// An object as text: one line per top-level key, and one line per element of a top-level array,
/// so that files compare well line by line. Ends with a newline. Bytes that are not UTF-8 become
/// U+FFFD.
/// @param spread a top-level key whose value has a line for each of its own values, however deep;
///   lists of plain values stay on one
[[nodiscard]] std::string document_text(const nlohmann::ordered_json& document,
                                        std::string_view spread = "");

/// The first keys of every document: schema, version (the program's), config_hash.
[[nodiscard]] nlohmann::ordered_json document_head(std::string_view schema,
                                                   const std::string& config_hash);

/// The resolved configuration as an object, key order kept.
/// @throws std::invalid_argument if the text is not a JSON object
[[nodiscard]] nlohmann::ordered_json config_object(const std::string& resolved_config);

}  // namespace stcsim
