#pragma once

#include <vector>

#include "sim/run/result.hpp"
#include "workloads/framework.hpp"

namespace stcsim {

/// Layer and operation of the rows below.
inline constexpr std::string_view kHostLayer = "host";
inline constexpr std::string_view kHostOp = "waits for launches";

/// Time in which the GPU waits for the host, as rows of the kind `launches`: of each network,
/// scheme and pass, what launching all kernels takes the host longer than running them takes the
/// GPU. Where the host reads a result before the optimizer, its launches cannot run ahead of the
/// gradients: the optimizer then stands for itself, in a row of its own. No row where the host
/// keeps up; where only the dense step waits, one of 0 cycles (and a speedup of 1).
/// @param rows of one machine
[[nodiscard]] std::vector<ResultRow> host_rows(const std::vector<ResultRow>& rows,
                                               const LaunchCosts& launch, double clock_mhz);

}  // namespace stcsim
