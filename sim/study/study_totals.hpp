#pragma once

#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"
#include "sim/study/dense_choices.hpp"

namespace stcsim {

/// Adds up the rows of one machine, in order of first appearance of network, scheme and pass.
/// @param shares  of training in which each row's scheme is sparse
/// @param failed  rows without figures, which are missing in the sums
[[nodiscard]] std::vector<StudyTotal> sum_totals(const std::vector<ResultRow>& rows,
                                                 const std::vector<double>& shares,
                                                 double clock_mhz,
                                                 const std::vector<ResultRow>& failed = {});

/// Fills in what the training step of a total of `experiment` needs of the machine's memory, and
/// how much it has. Weights count as compressed where the machine can use the scheme's pattern, and
/// does, or keeps them so to update them.
/// @param choices  which products run dense that could run sparse
void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine,
                const DenseChoices& choices = {});

}  // namespace stcsim
