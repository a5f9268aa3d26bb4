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
/// each kernel's own besides, independent, normal, twice the standard deviation of the sum.
///
/// @param rows    of one scheme in one pass on one machine
/// @param shares  of training in which each row's scheme is sparse
[[nodiscard]] SpeedupInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                               const std::vector<double>& shares,
                                               const TimeErrors& errors);

/// How far the time of the step itself may be off, by the same reckoning: the time times or divided
/// by e to the power of it. 0 of no rows.
/// @param rows  of one scheme in one pass on one machine; steps in which the scheme is sparse
[[nodiscard]] double time_deviation(const std::vector<const ResultRow*>& rows,
                                    const TimeErrors& errors);

/// Fills in the intervals of all complete totals.
/// @param shares  of the study's rows
void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const std::vector<double>& shares, const TimeErrors& errors);

}  // namespace stcsim
