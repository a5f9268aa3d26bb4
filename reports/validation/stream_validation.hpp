#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "reports/validation/gemm_validation.hpp"
#include "reports/validation/stream_result.hpp"
#include "sim/config/machine.hpp"
#include "workloads/framework.hpp"

namespace stcsim {

/// What the framework's forward kernel of the row's operation moves for its tensor.
[[nodiscard]] StreamWork stream_work_of(const MeasuredStream& measured, const Framework& framework);

/// Simulates every row on its machine, in worker processes; rows without a machine are skipped.
/// @param machines   by the names of GPUs, and of machines that rows name
/// @param framework  whose kernels stand for the measured ones
/// @throws SimulationError if one fails
[[nodiscard]] std::vector<StreamRow> validate_streams(
    const std::vector<MeasuredStream>& streams,
    const std::map<std::string, MachineConfig>& machines, const Framework& framework,
    const ValidationOptions& options);

}  // namespace stcsim
