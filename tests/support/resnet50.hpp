#pragma once

#include <set>
#include <string>

#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "sim/config/experiment_config.hpp"
#include "workloads/lowering.hpp"

namespace stcsim::test {

/// The different GEMMs of ResNet-50's training step, batch 256, all three phases.
/// @param network_name  shipped name or path
inline std::set<GemmProblem> resnet50_gemms(Pattern pattern,
                                            const std::string& network_name = "resnet50") {
  const Network network = load_network(network_name);
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
