#pragma once

#include <cstddef>
#include <string>

#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// Adds the Pareto front of a machine's mean curves, and says of each result whether its end lies
/// on it.
/// @param first of the machine's results, which are the last of the summary
void add_front(TtaSummary& summary, const std::string& machine, std::size_t first);

}  // namespace stcsim
