#pragma once

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// Fills in what the training step of a total of `experiment` needs of the machine's memory, and
/// how much it has. Weights count as compressed where the machine can use the scheme's pattern.
void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine);

}  // namespace stcsim
