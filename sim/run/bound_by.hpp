#pragma once

#include <string>

#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// What a launch's time is lost to most, judged from where the cycles of one run went: a resource
/// as variant.hpp names them ("multipliers", "shared_memory_port", "dram", "latencies", ...),
/// "last_wave", "too_few_ctas", "vector_unit" for stream kernels, or "unclear" if nothing would
/// save a tenth of it.
///
/// A judgement, not an experiment. The SM with most CTAs launches, waits for the first data of each
/// wave, runs main loops and stores what no main loop hides. In its main loops units work side by
/// side, as far as this run shows (main_loop.hpp); each is taken away in turn. Nothing saves more
/// than what DRAM needs for the launch's own bytes leaves, and fewer rounds of CTAs do not spare
/// what all SMs share.
[[nodiscard]] std::string bound_by(const MachineConfig& machine, const LaunchResult& launch);

}  // namespace stcsim
