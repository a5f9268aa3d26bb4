#pragma once

#include <string>

#include "cli/gemm/gemm_options.hpp"

namespace stcsim {

/// What simulating a GEMM takes, roughly and at most, told before it begins where that is long:
/// half a minute of one core, or a gigabyte for its values; "" else.
[[nodiscard]] std::string forecast_text(const GemmOptions& options);

}  // namespace stcsim
