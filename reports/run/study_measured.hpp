#pragma once

#include <cstddef>
#include <string>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// Per machine and network whose layers state what their products took on a GPU (Layer::measured):
/// every product's measured time beside the dense one that is simulated, all repeats, the longest
/// first, and their sums. "" where no layer does.
[[nodiscard]] std::string measured_tables(const StudyResult& study, std::size_t width = kAnyWidth);

}  // namespace stcsim
