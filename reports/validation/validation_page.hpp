#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// A page in Markdown and the pictures it shows, each with the name of its file: "validation.md",
/// "validation_dense.svg", "validation_sparse.svg", "validation_speedup.svg" and, if there are
/// rows of these kinds, "validation_instructions.svg" and "validation_networks.svg".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const ValidationResults& results);

/// The pictures of the GEMMs: dense times, sparse times, speedups.
[[nodiscard]] std::vector<std::string> gemm_pictures(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
