#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation_run.hpp"
#include "sim/study/error_bands.hpp"

namespace stcsim {

/// The network that a row names (a note of one word), else its M and K.
[[nodiscard]] std::string group_of(const MeasuredGemm& gemm);

/// Of all scored GEMMs from kValidatedFromUs on, kernels beside them and dense training steps.
[[nodiscard]] std::vector<Residual> residuals_of(const ValidationResults& results);

/// A line for each: results/validation_residuals.csv.
[[nodiscard]] std::string residuals_csv(const std::vector<Residual>& residuals);

/// What configs/validation/errors.csv keeps: error_cells() of the residuals, how far gains are
/// claimed too large where sparse is chosen by simulated times, and counter_cells().
[[nodiscard]] std::string error_cells_csv(const ValidationResults& results);

}  // namespace stcsim
