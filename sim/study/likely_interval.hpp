#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Where the speedup of a step lies, if its kernels are off as validated ones are.
///
/// The logarithm of the speedup changes with the relative error of a kernel's time by the kernel's
/// share of the dense step less its share of the scheme's; with the error of a gain by the share of
/// the scheme's step that it made. Of each class (dense GEMMs, gains, other kernels) the mean
/// absolute error is taken to be common to all kernels, the classes' worst cases added; and the
/// band of its regime to be each kernel's own besides, independent, the squares added at either
/// end. With these goes what the framework's recipe leaves out, by the band of whole dense steps,
/// if kernels beside the GEMMs are among the rows: its time is in both steps, so that it draws the
/// speedup towards 1; what the recipe lists too much is at most all of these kernels. Where gains
/// that are chosen by simulated times are claimed too large (TimeErrors::selection), the lower end
/// is lower by that in the share of the step that runs sparse; the upper end is higher where they
/// are claimed too small. It is at most the dense step over the step in which products that run
/// sparse take n/m of their time and what the scheme adds takes none.
///
/// @param rows               of one scheme in one pass on one machine
/// @param share_of_training  in which the scheme is sparse: 1 for a sparse step itself
[[nodiscard]] LikelyInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                              double share_of_training, const TimeErrors& errors);

/// The step in which the scheme is sparse, or the dense one.
enum class StepOf : std::uint8_t { scheme, dense };

/// Where the time of such a step lies: by the band of whole dense steps, and by those of what ran
/// sparse and what the scheme adds; of GEMMs alone by theirs. Not known of no rows.
/// @param rows     of one scheme in one pass on one machine
/// @param time_us  that of the step, as simulated
[[nodiscard]] LikelyInterval time_interval(const std::vector<const ResultRow*>& rows, StepOf step,
                                           double time_us, const TimeErrors& errors);

/// Fills in the intervals of all complete totals.
void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors);

}  // namespace stcsim
