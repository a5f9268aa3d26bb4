#pragma once

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"
#include "sim/study/study.hpp"

namespace stcsim {

/// run_study(), and the same steps with the other software that users of these machines could have
/// run (MachineConfig::stacks_beside()): StudyTotal::beside. Where the experiment names a kernel,
/// or checks values, there is none.
[[nodiscard]] StudyResult run_study_with_spread(const Experiment& experiment,
                                                const StudyOptions& options);

}  // namespace stcsim
