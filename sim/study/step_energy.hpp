#pragma once

#include <string>
#include <vector>

#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {

/// Joules that the board draws for points one after the other at `clock_mhz` (board_energy()).
/// @param as_built  the machine at its own clock
/// @param dtype     of the points' products; stream kernels have none
/// @param points    all of which have a result
[[nodiscard]] double joules_of(const MachineConfig& as_built, DataType dtype, double clock_mhz,
                               const PointResults& results,
                               const std::vector<std::int64_t>& points);

/// Fills in what the host's waits take: the board draws idle.
void find_wait_energy(const MachineConfig& as_built, double clock_mhz, ResultRow& row);

/// Fills in the totals' energies, repeats counted.
void add_energies(const std::vector<ResultRow>& rows, std::vector<StudyTotal>& totals);

}  // namespace stcsim
