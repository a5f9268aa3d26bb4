#pragma once

#include <string>

#include "sim/run/gemm_run.hpp"

namespace stcsim {

/// A job's answer as bytes: so it comes from a worker process, and so it is stored.
/// decode(encode(x)) == x.
[[nodiscard]] std::string encode(const GemmRun& run);
/// Throws SimulationError if `bytes` is not an encoded answer.
[[nodiscard]] GemmRun decode(const std::string& bytes);
[[nodiscard]] bool is_answer(const std::string& bytes);

}  // namespace stcsim
