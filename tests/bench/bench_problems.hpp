#pragma once

#include <cstdint>
#include <set>

#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/gemm_run.hpp"
#include "workloads/lowering.hpp"

namespace stcsim::bench {

inline GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, Pattern pattern = kDense) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.a_pattern = pattern;
  return problem;
}

/// The different GEMMs of ResNet-50's training step, batch 256, all three phases.
inline std::set<GemmProblem> resnet50_gemms(Pattern pattern) {
  const Network network = load_network("resnet50");
  std::set<GemmProblem> problems;
  for (const Layer& layer : network.layers) {
    for (const Phase phase : kPhases) {
      for (GemmProblem problem : lower(layer, phase, /*batch=*/256)) {
        problem.a_pattern = pattern;
        problems.insert(problem);
      }
    }
  }
  return problems;
}

/// The kernel that ranks first, without simulating others.
inline KernelPolicy best_ranked_kernel() {
  return {"auto", 1};
}

inline KernelPolicy fixed_kernel(Pattern pattern) {
  return {pattern.is_dense() ? "dense_128x128x32_s4" : "sparse_128x128x64_s3", 1};
}

}  // namespace stcsim::bench
