#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/io/text_fit.hpp"
#include "reports/validation/validation_run.hpp"

namespace stcsim {

/// What people read: of each kind of rows that there is the errors summed up, the worst, every row
/// with measured, simulated and error, and why rows were skipped; at the end the machines'
/// software. Tables fit into `width` columns.
[[nodiscard]] std::string validation_text(const ValidationResults& results,
                                          std::size_t width = kAnyWidth);

/// A page of the same in Markdown, and the cells as CSV, each with the name of its file:
/// "validation.md", "validation_cells.csv". Pictures are drawn from the JSON (scripts/validation).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const ValidationResults& results);

}  // namespace stcsim
