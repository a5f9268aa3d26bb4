#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Bytes of the widest access that both operands of `problem` allow when A is kept as `hardware`:
/// 16, 8, 4, 2 or 1, the largest that divides the length of every row. Rows lie along K or along M
/// and N, as the layouts say; those of a convolution (an implicit-im2col operand) are
/// pixels and filters, whose channels its kernels pad where they are few. Kernels load both
/// operands in the same way, as their names say (CUTLASS: align8, align4, ...).
[[nodiscard]] std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware);

}  // namespace stcsim
