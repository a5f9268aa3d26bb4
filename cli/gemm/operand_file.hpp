#pragma once

#include <string>

#include "common/gemm.hpp"
#include "models/base/kernel_launch.hpp"
#include "sim/functional/plain_matrix.hpp"

namespace stcsim {

/// Reads operand A or B of `problem` from a NumPy file: M x K or K x N, before it the batch if
/// there is more than one GEMM. The second axis may be several (the weights of a convolution, C_out
/// x height x width x C_in). Throws ConfigError "FILE: error: ..." for another shape, and for what
/// is no such file.
[[nodiscard]] PlainMatrix operand_file(const std::string& file, const GemmProblem& problem,
                                       Operand operand);

/// Hash of the numbers.
[[nodiscard]] std::string sha256_of(const PlainMatrix& matrix);

}  // namespace stcsim
