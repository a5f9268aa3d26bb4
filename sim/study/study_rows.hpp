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

/// Adds up the rows of one machine, in order of first appearance of network and scheme.
/// @param shares  of training in which each row's scheme is sparse
/// @param failed  rows without figures, which are missing in the sums
[[nodiscard]] std::vector<StudyTotal> sum_totals(const std::vector<ResultRow>& rows,
                                                 const std::vector<double>& shares,
                                                 double clock_mhz,
                                                 const std::vector<ResultRow>& failed = {});

}  // namespace stcsim
