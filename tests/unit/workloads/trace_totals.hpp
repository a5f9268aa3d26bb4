#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "workloads/lowering.hpp"

namespace stcsim {

inline constexpr const char* kTraceFolder = STCSIM_SOURCE_DIR "/tests/unit/workloads/traces";

/// Products and multiply-accumulates of a phase.
using PhaseTotals = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

inline PhaseTotals totals_of(const Network& network) {
  PhaseTotals totals;
  for (const Layer& layer : network.layers) {
    for (const Phase phase : kPhases) {
      const std::vector<GemmProblem> gemms = lower(layer, phase, network.batch);
      auto& [count, macs] = totals[std::string(to_string(phase))];
      count += gemms.empty() ? 0 : layer.repeat;
      for (const GemmProblem& gemm : gemms) macs += layer.repeat * gemm.macs();
    }
  }
  return totals;
}

}  // namespace stcsim
