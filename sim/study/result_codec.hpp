#pragma once

#include <string>

#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// A run as bytes, for the way from a worker process. decode(encode(x)) == x.
[[nodiscard]] std::string encode(const GemmRun& run);
/// Throws SimulationError if `bytes` is not an encoded run.
[[nodiscard]] GemmRun decode(const std::string& bytes);

}  // namespace stcsim
