#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/validation/gemm_run.hpp"
#include "reports/validation/network_rows.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// What the rows of one network under one scheme say of a scope: times and their ratio. Empty if
/// no row belongs to the scope.
[[nodiscard]] NetworkFigures figures_of(const std::vector<ResultRow>& rows, Scope scope,
                                        double share_of_training, double clock_mhz);

/// Simulates every row that can be, in worker processes, each GEMM with the kernel that is
/// estimated to be the fastest. The others are returned with the reason why they were skipped.
/// @param machines by the name of the GPU in the table; a GPU that is not there is skipped
/// @throws ConfigError at the row for a network or scheme that does not exist
[[nodiscard]] std::vector<NetworkRow> validate_networks(
    const std::vector<MeasuredNetwork>& networks,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options);

}  // namespace stcsim
