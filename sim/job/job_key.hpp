#pragma once

#include <cstdint>
#include <string>

#include "sim/config/machine.hpp"
#include "sim/job/behaviour_version.hpp"
#include "sim/job/job.hpp"

namespace stcsim {

/// What a machine is called makes no difference to its digests.
/// @param machine     at the clock of its jobs
/// @param statistics  statistic_names() of the machine: an answer with others is another answer.
///                    "" if answers are not stored
[[nodiscard]] MachineDigests machine_digests(const MachineConfig& machine,
                                             const std::string& statistics,
                                             std::int64_t behaviour = kBehaviourVersion);

/// Equal keys mean equal answers: 64 hexadecimal digits, the SHA-256 of a text with everything an
/// answer depends on: the simulator's behaviour, what it tells, the machine, the kernel policy, the
/// conditions and the work. What a machine has for sparse operands makes no difference to a launch
/// without one.
[[nodiscard]] std::string key_of(const Job& job);

}  // namespace stcsim
