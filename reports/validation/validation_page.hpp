#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// A page in Markdown, what it shows and the cells as CSV, each with the name of its file:
/// "validation.md", "validation_cells.csv", the pictures of gemm_pictures.hpp and, if there are
/// rows of these kinds, "validation_instructions.svg" and "validation_networks.svg".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const ValidationResults& results);

}  // namespace stcsim
