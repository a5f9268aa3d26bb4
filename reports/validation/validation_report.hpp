#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/format.hpp"
#include "reports/validation/validation_run.hpp"

namespace stcsim {

/// Text for people: of each kind of rows that there is the errors summed up, the worst, every row
/// with measured, simulated and error, and why rows were skipped; at the end the machines'
/// software. Tables fit into `width` columns.
[[nodiscard]] std::string validation_text(const ValidationResults& results,
                                          std::size_t width = kAnyWidth);

/// A page of the same in Markdown, and the cells as CSV, each with the name of its file:
/// "validation.md", "validation_cells.csv", "validation_errors.csv", "validation_residuals.csv".
/// Pictures are drawn from the JSON (scripts/validation).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const ValidationResults& results);

inline constexpr std::string_view kValidationSchema = "stcsim.validation/1";

/// 'results': a GEMM each, errors as signed fractions, null where nothing was measured or
/// simulated; 'summary': per GPU and for all ("all"), per quantity; 'instructions' and 'networks':
/// a row each. docs/evidence.md lists the keys.
[[nodiscard]] std::string validation_to_json(const ValidationResults& results);

/// One kind of rows as CSV, the same keys: instructions or networks if there is nothing else, else
/// the GEMMs.
[[nodiscard]] std::string validation_to_csv(const ValidationResults& results);

}  // namespace stcsim
