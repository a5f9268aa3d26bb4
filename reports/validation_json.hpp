#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/validation/validation_result.hpp"

namespace stcsim {

inline constexpr std::string_view kValidationSchema = "stcsim.validation/1";

/// 'results': a row each, errors as signed fractions, null where nothing was measured or simulated;
/// 'summary': per GPU and for all ("all"), per quantity. docs/output.md lists the keys.
[[nodiscard]] std::string validation_to_json(const std::vector<ValidationRow>& rows);

/// The results as CSV, the same keys.
[[nodiscard]] std::string validation_to_csv(const std::vector<ValidationRow>& rows);

}  // namespace stcsim
