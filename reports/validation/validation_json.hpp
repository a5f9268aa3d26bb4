#pragma once

#include <string>
#include <string_view>

#include "reports/validation/validation_run.hpp"

namespace stcsim {

inline constexpr std::string_view kValidationSchema = "stcsim.validation/1";

/// 'results': a GEMM each, errors as signed fractions, null where nothing was measured or
/// simulated; 'summary': per GPU and for all ("all"), per quantity; 'instructions' and 'networks':
/// a row each. docs/evidence.md lists the keys.
[[nodiscard]] std::string validation_to_json(const ValidationResults& results);

/// One kind of rows as CSV, the same keys: instructions or networks if there is nothing else, else
/// the GEMMs.
[[nodiscard]] std::string validation_to_csv(const ValidationResults& results);

}  // namespace stcsim
