#pragma once

#include <cstdint>

#include "common/gemm.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim::bench {

inline GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, Pattern pattern = kDense) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a_pattern = pattern;
  return problem;
}

/// The kernel that ranks first, without simulating others.
inline KernelPolicy best_ranked_kernel() {
  return {"auto", 1};
}

inline KernelPolicy fixed_kernel(Pattern pattern) {
  return {pattern.is_dense() ? "dense_128x128x32_s4" : "sparse_128x128x64_s3", 1};
}

}  // namespace stcsim::bench
