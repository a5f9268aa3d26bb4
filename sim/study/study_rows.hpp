#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/run/gemm_run.hpp"
#include "sim/run/result.hpp"
#include "sim/study/study_plan.hpp"

namespace stcsim {

/// Fills in the numbers of a planned row, or nothing if one of its points failed.
/// @param as_built  the machine at its own clock, for what its board draws; null: energies stay 0
[[nodiscard]] std::optional<ResultRow> finish_row(const PlannedRow& planned,
                                                  const PointResults& results,
                                                  const MachineConfig& machine,
                                                  const MachineConfig* as_built = nullptr);

}  // namespace stcsim
