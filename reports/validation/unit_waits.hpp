#pragma once

#include <string>
#include <vector>

#include "sim/run/result.hpp"

namespace stcsim {

/// Where the cycles of each unit went that had something to do for a tenth of them: the buckets of
/// at least a tenth, the largest first: "tensor_core busy 66 %, idle 14 %; dram idle 70 %, busy 30
/// %".
[[nodiscard]] std::string unit_waits(const std::vector<UnitReport>& units);

}  // namespace stcsim
