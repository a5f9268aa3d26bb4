#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// A document of the program as the page embeds it: `file`, then its keys, with arrays of objects
/// by columns (columns_of) and a study's results as page_result() makes them.
/// @param file as the user named it
/// @throws ConfigError with file and key if it is no document of the program, or lacks what the
///   page shows
[[nodiscard]] nlohmann::ordered_json page_document(const std::string& file,
                                                   const nlohmann::ordered_json& document);

}  // namespace stcsim
