#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tests/cli/cell_errors.hpp"

namespace stcsim {

/// Groups of rows in which errors of opposite sign, which a mean over all rows hides, would show:
/// few tokens (columns of C), K, how long 50 launches take, and whole waves of the simulated
/// kernel.
[[nodiscard]] std::vector<std::string> groups_of(const nlohmann::json& row,
                                                 const std::string& quantity);

/// Every group of at least ten scored rows of the cell is biased by no more than `most_bias` per
/// cent, in each quantity.
void expect_unbiased_groups(const nlohmann::json& rows, const CellBound& cell, double most_bias);

}  // namespace stcsim
