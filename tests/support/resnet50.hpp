#pragma once

#include <set>

#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "workloads/lowering.hpp"

namespace stcsim::test {

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

}  // namespace stcsim::test
