#pragma once

#include <string>

#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What a launch's time is lost to most, judged from where the cycles of one run went: a resource
/// as explanation.hpp names them ("multipliers", "shared_memory_port", "fill", "memory_bus",
/// "l2_cache", "dram", "launch", "last_wave", "too_few_ctas"), "vector_unit" for stream kernels, or
/// "unclear" if nothing would save a tenth of it.
///
/// A judgement, not an experiment. The time after launching goes by the busiest unit of an SM, as
/// long as the SM has CTAs; without it, by the next busiest. What all SMs share limits as far as it
/// is busier than the SMs' units. A last wave that is not full, and SMs without a CTA, cost what
/// they leave idle, as far as an SM with CTAs is busy and nothing shared is.
[[nodiscard]] std::string bound_by(const MachineConfig& machine, const LaunchResult& launch);

}  // namespace stcsim
