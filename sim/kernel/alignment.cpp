#include "sim/kernel/alignment.hpp"

#include <algorithm>
#include <numeric>

#include "common/metadata_format.hpp"
#include "models/base/kernel_launch.hpp"

namespace stcsim {
namespace {

/// The largest power of two, up to the widest access, that divides `bytes`.
std::int64_t widest_in(std::int64_t bytes) {
  return std::gcd(bytes, OperandStream::kWidestAccessBytes);
}

std::int64_t widest_of(const GemmProblem& problem, OperandLayout layout, std::int64_t extent,
                       Pattern pattern) {
  const bool along_k = layout == OperandLayout::k_major;
  const std::int64_t length = along_k ? problem.k : extent;
  return widest_in(row_bytes(length, along_k ? pattern : kDense, problem.dtype).values);
}

}  // namespace

std::int64_t access_bytes(const GemmProblem& problem, Pattern hardware) {
  const bool is_convolution = problem.a != Footprint() || problem.b != Footprint();
  if (is_convolution) return OperandStream::kWidestAccessBytes;
  return std::min(widest_of(problem, problem.a_layout, problem.m, hardware),
                  widest_of(problem, problem.b_layout, problem.n, kDense));
}

}  // namespace stcsim
