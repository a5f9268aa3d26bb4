#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/unit_kind.hpp"

namespace stcsim {

/// A line for each unit: its name, indented by how deep inside it is, and what it is. Of units of
/// the same kind in the same place the first is shown with all inside it, the others in one line.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> unit_lines(const UnitTree& tree);

}  // namespace stcsim
