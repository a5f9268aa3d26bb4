#pragma once

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// The steps of `experiment.parallel`: every network under each of its schemes on each number of
/// GPUs.
/// @param study  of with_parts(experiment), with its rows
[[nodiscard]] std::vector<ParallelTotal> parallel_totals(const Experiment& experiment,
                                                         const StudyResult& study);

/// Of a GPU: what sharding leaves of the memory of one that trains alone, and beside it under fsdp
/// the weights of two units, gathered.
/// @param unit_bytes  of the largest unit's weights
[[nodiscard]] std::int64_t sharded_bytes(const StepMemory& memory, Sharding sharding,
                                         std::int64_t gpus, double unit_bytes);

}  // namespace stcsim
