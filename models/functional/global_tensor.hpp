#pragma once

#include <cstdint>
#include <vector>

#include "common/counts.hpp"
#include "common/gemm.hpp"

namespace stcsim {

/// `batch_count` matrices of rows x columns in global memory, as raw bits of `type` (one element
/// per word, see encode()). Matrices follow one another without gaps.
struct GlobalTensor {
  DataType type = DataType::fp16;
  std::int64_t batch_count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;     // elements between (r, c) and (r + 1, c)
  std::int64_t column_stride = 0;  // elements between (r, c) and (r, c + 1)
  std::vector<std::uint32_t> bits;

  /// Position of an element in `bits`.
  [[nodiscard]] std::size_t offset(std::int64_t batch, std::int64_t row,
                                   std::int64_t column) const {
    return as_size(batch * rows * columns + row * row_stride + column * column_stride);
  }
};

/// Zero tensors in the layouts `problem` asks for.
[[nodiscard]] GlobalTensor make_a_tensor(const GemmProblem& problem);  // M x K
[[nodiscard]] GlobalTensor make_b_tensor(const GemmProblem& problem);  // K x N
[[nodiscard]] GlobalTensor make_c_tensor(const GemmProblem& problem);  // M x N, of the output type

}  // namespace stcsim
