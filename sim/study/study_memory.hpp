#pragma once

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"
#include "sim/study/dense_choices.hpp"

namespace stcsim {

/// Fills in what the training step of a total of `experiment` needs of the machine's memory, and
/// how much it has. Weights count as compressed where the machine can use the scheme's pattern, and
/// does, or keeps them so to update them.
/// @param choices  which products run dense that could run sparse
void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine,
                const DenseChoices& choices = {});

}  // namespace stcsim
