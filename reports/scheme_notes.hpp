#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// A line per network and machine for schemes of which nothing ran sparse in phases that they
/// prune: "fst, slope: forward, dgrad ran dense entirely on a100, resnet50: none of its layers is
/// pruned". "" if there are none, or if points of the study failed.
[[nodiscard]] std::string dense_notes(const StudyResult& study);

/// A line for each scheme, machine and network where most of what a step gains is not the GEMMs'
/// but the optimizer's; "" if there is none.
[[nodiscard]] std::string optimizer_notes(const StudyResult& study);

}  // namespace stcsim
