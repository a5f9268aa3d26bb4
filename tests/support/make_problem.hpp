#pragma once

#include <cstdint>

#include "common/gemm.hpp"

namespace stcsim::test {

/// A problem in the default layouts.
inline GemmProblem make_problem(std::int64_t m, std::int64_t n, std::int64_t k,
                                std::int64_t batch_count = 1, DataType dtype = DataType::fp16,
                                Pattern a_pattern = kDense) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch_count = batch_count;
  problem.dtype = dtype;
  problem.a_pattern = a_pattern;
  return problem;
}

}  // namespace stcsim::test
