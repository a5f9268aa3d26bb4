#pragma once

#include <cstddef>
#include <string>

#include "sim/run/result.hpp"

namespace stcsim {

/// Steps on several GPUs: of each network and machine what every scheme gains, what does not fit
/// first, a table by scheme and number of GPUs, and from how many on a scheme gains nothing.
/// @param study  with parallel totals
[[nodiscard]] std::string parallel_report(const StudyResult& study, std::size_t width);

}  // namespace stcsim
