#pragma once

#include <string>
#include <vector>

#include "common/io/yaml_reader.hpp"
#include "reports/papers/paper.hpp"

namespace stcsim {

/// What rows of a figure have unless they say otherwise.
struct RowDefaults {
  std::string obtained;
  double tolerance = 0;
  std::string fitted = {};
};

/// Reads an entry of the list `rows` of a figure: one row, or those that it stands for.
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<PaperRow> read_paper_rows(MapReader& map, const RowDefaults& defaults);

/// "measured", "estimated", ...
[[nodiscard]] std::string read_obtained(MapReader& map, const std::string& otherwise);
[[nodiscard]] double read_tolerance(MapReader& map, double otherwise);

}  // namespace stcsim
