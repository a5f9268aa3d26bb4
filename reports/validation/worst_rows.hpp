#pragma once

#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {

/// The ten largest errors, with the kernels that were simulated and what bounds them.
[[nodiscard]] Table worst_rows_table(const std::vector<ValidationRow>& rows);

/// The three largest errors of dense and sparse times of every machine and data type, among rows
/// that are scored and take 20 us and more, with what the simulated units waited for.
[[nodiscard]] Table worst_rows_by_machine(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
