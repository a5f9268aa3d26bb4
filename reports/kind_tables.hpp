#pragma once

#include <string>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// One table per machine, network and pass: what all kernels beside the matrix products take, by
/// what they are there for, in the dense step and in that of the fastest scheme. What takes no time
/// is left out; "" where all is nothing.
[[nodiscard]] std::string kind_tables(const StudyResult& study, std::size_t width = kAnyWidth);

}  // namespace stcsim
