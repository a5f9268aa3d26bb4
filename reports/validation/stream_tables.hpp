#pragma once

#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/stream_result.hpp"

namespace stcsim {

/// Errors of the times of kernels beside the matrix products: of each machine, and of each
/// operation on it, with the least and the most bytes of a tensor.
[[nodiscard]] Table stream_table(const std::vector<StreamRow>& rows);

/// How many rows were not simulated, and why, on a line of its own below an empty one; "" if none.
[[nodiscard]] std::string skipped_streams(const std::vector<StreamRow>& rows);

}  // namespace stcsim
