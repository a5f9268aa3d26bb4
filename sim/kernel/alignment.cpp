#include "sim/kernel/alignment.hpp"

#include <algorithm>
#include <numeric>

#include "common/compressed_row.hpp"
#include "models/base/kernel_launch.hpp"

namespace stcsim {
namespace {

/// The largest power of two, up to the widest access, that divides `bytes`.
std::int64_t widest_in(std::int64_t bytes) {
  return std::gcd(bytes, OperandStream::kWidestAccessBytes);
}

std::int64_t widest_of(const GemmProblem& problem, OperandLayout layout, std::int64_t extent,
                       const Footprint& footprint, Pattern pattern) {
  const bool along_k = layout == OperandLayout::k_major;
  const std::int64_t length = along_k ? problem.k : extent;
  const std::int64_t distinct = along_k ? footprint.unique_k : footprint.unique_rows;
  const auto bytes = [&](std::int64_t elements) {
    return row_bytes(elements, along_k ? pattern : kDense, problem.dtype).values;
  };
  const std::int64_t of_row = widest_in(bytes(length));
  return distinct > 0 ? std::min(of_row, widest_in(bytes(distinct))) : of_row;
}

}  // namespace

std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware) {
  return std::min(widest_of(problem, problem.a_layout, problem.m, problem.a, hardware),
                  widest_of(problem, problem.b_layout, problem.n, problem.b, kDense));
}

}  // namespace stcsim
