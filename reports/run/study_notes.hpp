#pragma once

#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// What a reader of the tables has to know, one line each: which phases of which scheme ran dense,
/// on how many layers (repeats counted) and why; what limited those that ran sparse; how sure the
/// search for kernels is. Equal notes of a scheme are one line:
///   "mvue: forward, dgrad ran dense on a100, resnet50 (53 layers): 4:8 does not fit 2:4 hardware".
/// "" if there is nothing to say.
[[nodiscard]] std::string study_notes(const StudyResult& study);

/// What is said in any case: sampled GEMMs, checked values, and what failed.
[[nodiscard]] std::string closing_notes(const StudyResult& study);

/// A line per network and machine for schemes of which nothing ran sparse in phases that they
/// prune: "fst, slope: no product of forward, dgrad ran sparse on a100, resnet50: none of its
/// layers is pruned". "" if there are none, or if points of the study failed.
[[nodiscard]] std::string dense_notes(const StudyResult& study);

/// A line for each scheme, machine and network where most of what a step gains is not the GEMMs'
/// but the optimizer's; "" if there is none.
[[nodiscard]] std::string optimizer_notes(const StudyResult& study);

/// A line for each network and machine on how dear pruning may be, from steps as they ran:
///   "pruning on a100, resnet50: bdwp gains until it takes 1.41 times as long; sdgp-2:4 gains where
///   it takes 2.30 times less".
/// Left out: schemes that would gain with pruning ten times as dear, and those that lose if it
/// takes no time at all. "" if none is left.
[[nodiscard]] std::string pruning_notes(const StudyResult& study);

}  // namespace stcsim
