#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// A page in Markdown and the cells as CSV, each with the name of its file: "validation.md",
/// "validation_cells.csv". Pictures are drawn from the JSON (scripts/validation).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const ValidationResults& results);

}  // namespace stcsim
