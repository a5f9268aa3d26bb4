#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/run/gemm_run.hpp"
#include "sim/sweep/sweep_plan.hpp"

namespace stcsim {

/// What a sweep keeps of a simulated GEMM: a JSON object of its cycles, clock, watts, kernel, what
/// it is bound by, and every counter of the machine.
/// @param may_be_sampled  where its cycles lie and how much of it was simulated belong to it
[[nodiscard]] nlohmann::ordered_json gemm_figures(const MachineConfig& machine, const GemmRun& run,
                                                  bool may_be_sampled);

/// The figures of a GEMM point: the GEMM, what came of it, and the dense GEMM beside it. Where the
/// point runs sparse only where that is faster, the dense one is what runs unless the gain exceeds
/// 1 + gain_error.
/// @param sparse, dense  gemm_figures(); of a dense point the same
[[nodiscard]] nlohmann::ordered_json gemm_point_figures(const SweepPoint& point,
                                                        const nlohmann::ordered_json& sparse,
                                                        const nlohmann::ordered_json& dense,
                                                        double gain_error);

/// The figures of a step point: the totals of its scheme, beside those of the dense step, which
/// are the study's first.
/// @throws SimulationError if something of the study could not be simulated
[[nodiscard]] nlohmann::ordered_json step_point_figures(const StudyResult& study,
                                                        const std::string& scheme);

}  // namespace stcsim
