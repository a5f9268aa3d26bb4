#pragma once

#include <algorithm>
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

/// n of every m columns in each row of C.
constexpr Pattern outputs(std::int64_t n, std::int64_t m) {
  return {n, m, 1, 0, 0, true};
}

/// Elements of C that are computed: all, or n of each group and as many of a last, shorter one.
inline std::int64_t wanted_elements(const GemmProblem& problem) {
  const Pattern pattern = problem.a_pattern;
  std::int64_t columns = problem.n;
  if (pattern.of_outputs) {
    columns = columns / pattern.m * pattern.n + std::min(columns % pattern.m, pattern.n);
  }
  return problem.batch_count * problem.m * columns;
}

}  // namespace stcsim::test
