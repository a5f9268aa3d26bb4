#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/run/gemm_run.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

/// The figures of a GEMM point, a JSON object: the GEMM, its cycles, clock and watts and those of
/// the dense GEMM beside it, the kernel, what it is bound by, and every counter of the machine.
/// Where the point runs sparse only where that is faster, the dense one is what runs unless the
/// gain exceeds 1 + gain_error.
/// @param sparse, dense  of a dense point the same
[[nodiscard]] nlohmann::ordered_json gemm_point_figures(const SweepPoint& point,
                                                        const GemmRun& sparse, const GemmRun& dense,
                                                        double gain_error);

/// The figures of a step point: the totals of its scheme, beside those of the dense step, which
/// are the study's first.
/// @throws SimulationError if something of the study could not be simulated
[[nodiscard]] nlohmann::ordered_json step_point_figures(const StudyResult& study,
                                                        const std::string& scheme);

}  // namespace stcsim
