#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/validation/gemm_run.hpp"
#include "reports/validation/instruction_rows.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/instruction_loop.hpp"

namespace stcsim {

/// The loop that runs `measured` on `machine`, with one chain per warp. A warp group's instruction
/// m64nNk is run as the parts m16n8k of its four warps.
/// @throws ConfigError if the machine has no such instruction
[[nodiscard]] InstructionLoop loop_of(const MeasuredInstruction& measured,
                                      const MachineConfig& machine);

/// Simulates every row that can be, in worker processes: latency (one warp, one chain) and
/// throughput, as far as they were measured. Without `ilp` the loop is run with 1 to 6 chains and
/// the smallest number counts that comes within 3 % of the best: the "convergence point" of Sun et
/// al. The others are returned with the reason why they were skipped.
/// @param machines by the name a row has for its machine, else by that of its GPU
[[nodiscard]] std::vector<InstructionRow> validate_instructions(
    const std::vector<MeasuredInstruction>& instructions,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options);

}  // namespace stcsim
