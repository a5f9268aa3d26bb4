#pragma once

#include <cstdint>
#include <span>

namespace stcsim::pruning {

/// Rank of every element by magnitude: 0 is the largest; of equal ones the lower index comes first.
/// NaN counts as larger than every number.
void magnitude_ranks(std::span<const float> values, std::span<std::int32_t> ranks);

}  // namespace stcsim::pruning
