#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/io/table.hpp"
#include "models/base/unit_kind.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Which layers a scheme touches: "linear; attention, ffn"; "all".
[[nodiscard]] std::string layers_text(const LayerFilter& layers,
                                      const std::vector<LayerPattern>& patterns);

/// Which operand of which phase each scheme makes sparse, in which layers, for which share of
/// training.
[[nodiscard]] Table scheme_table(const std::vector<Scheme>& schemes);

/// A line for each unit: its name, indented by how deep inside it is, and what it is. Of units of
/// the same kind in the same place the first is shown with all inside it, the others in one line.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> unit_lines(const UnitTree& tree);

}  // namespace stcsim
