#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// What `stcsim page` takes: a JSON document of the program ("-" is standard input), a folder that
/// `run --out` wrote, the SQLite file of a sweep (a document of stcsim.sweep/1 of all points in
/// it), or a CSV file (one of stcsim.list/1 with its rows).
/// @throws ConfigError if it is none of these
[[nodiscard]] nlohmann::ordered_json read_page_input(const std::string& path);

/// Where the page of these goes if nobody says: the first one's name, as .html, in this directory.
[[nodiscard]] std::string page_name_of(const std::vector<std::string>& inputs);

}  // namespace stcsim
