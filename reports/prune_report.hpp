#pragma once

#include <string>

#include "pruning/prune_summary.hpp"

namespace stcsim {

/// The figures of a pruned tensor as text: a line each, those that do not apply left out.
[[nodiscard]] std::string prune_text(const pruning::PruneSummary& summary);

}  // namespace stcsim
