#pragma once

#include <vector>

#include "common/io/table.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// Which operand of which phase each scheme makes sparse, in which layers, for which share of
/// training.
[[nodiscard]] Table scheme_table(const std::vector<Scheme>& schemes);

}  // namespace stcsim
