#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/table.hpp"
#include "reports/validation/fidelity_cells.hpp"

namespace stcsim {

/// What the columns of fidelity_table() mean, a few sentences without line breaks.
inline constexpr const char* kFidelityLegend =
    "By measured dense time. Roofline, tiles: mean |error| of peak rate and DRAM bandwidth, and of "
    "waves of 128x128 tiles at peak rate. Spread: half the distance between the least and the most "
    "of several measurements of the same GEMM; within: simulated times between them.";

/// Errors of each cell and quantity; `with_sources` also of the cells of one source.
[[nodiscard]] Table fidelity_table(const std::vector<FidelityCell>& cells, bool with_sources);

/// An object for each cell and quantity that has rows; docs/evidence.md lists the keys.
[[nodiscard]] std::vector<nlohmann::ordered_json> fidelity_json(
    const std::vector<FidelityCell>& cells);
[[nodiscard]] std::string fidelity_csv(const std::vector<FidelityCell>& cells);

}  // namespace stcsim
