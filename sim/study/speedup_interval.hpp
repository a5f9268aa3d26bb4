#pragma once

#include <vector>

#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Where the speedup of a step lies, if its kernels are off as validated ones are.
///
/// The logarithm of the speedup changes with the relative error of a kernel's time by the kernel's
/// share of the dense step less its share of the scheme's; with the error of a gain by the share of
/// the scheme's step that it made. Of each class (dense GEMMs, gains, other kernels) the mean
/// absolute error is taken to be common to all kernels, the classes' worst cases added; and to be
/// each kernel's own besides, independent, normal, twice the standard deviation of the sum. Where
/// gains that are chosen by simulated times are claimed too large (TimeErrors::selection), the
/// lower end is lower by that in the share of the step that runs sparse; the upper end is higher
/// where they are claimed too small.
///
/// @param rows               of one scheme in one pass on one machine
/// @param share_of_training  in which the scheme is sparse: 1 for a sparse step itself
[[nodiscard]] SpeedupInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                               double share_of_training, const TimeErrors& errors);

/// How far the time of the step itself may be off, by the same reckoning: the time times or divided
/// by e to the power of it. 0 of no rows.
/// @param rows  of one scheme in one pass on one machine; steps in which the scheme is sparse
[[nodiscard]] double time_deviation(const std::vector<const ResultRow*>& rows,
                                    const TimeErrors& errors);

/// Fills in the intervals of all complete totals.
void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors);

}  // namespace stcsim
