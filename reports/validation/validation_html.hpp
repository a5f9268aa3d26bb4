#pragma once

#include <string>

#include "reports/validation/validation_results.hpp"

namespace stcsim {

/// The comparison as one HTML page that needs nothing else: its style and pictures (SVG) are
/// inside, no script. Kinds without rows are left out.
[[nodiscard]] std::string validation_html(const ValidationResults& results);

}  // namespace stcsim
