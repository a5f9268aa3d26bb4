#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/validation/validation_result.hpp"

namespace stcsim {

/// A page in Markdown and the pictures it shows, each with the name of its file: "validation.md",
/// "validation_dense.svg", "validation_sparse.svg", "validation_speedup.svg".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> validation_page(
    const std::vector<ValidationRow>& rows);

}  // namespace stcsim
