#pragma once

#include <cstddef>
#include <string>

#include "reports/sweep/sweep_table.hpp"

namespace stcsim {

/// What a sweep found, of its GEMMs and of its steps: the choices of machine, pattern, scheme and
/// whatever else is no work that no other beats in area and in gain over dense, the geometric mean
/// over all work; which of them is the knee (the farthest from the line between both ends, area and
/// gain scaled to these); and what each axis does to the gain, all else equal.
/// Choices that lack some of the work are left out.
/// @param each  of each work by itself instead
[[nodiscard]] std::string sweep_answer(const Space& space, const SweepTable& table, bool each,
                                       std::size_t width);

}  // namespace stcsim
