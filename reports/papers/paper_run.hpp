#pragma once

#include <functional>

#include "reports/claims/gemm_claims.hpp"
#include "reports/papers/paper_result.hpp"
#include "sim/config/experiment.hpp"

namespace stcsim {

/// How a paper is simulated. Its answers do not depend on it.
struct PaperOptions {
  /// What simulates an experiment.
  std::function<StudyResult(const Experiment&)> run;
  GemmClaimOptions gemms;
};

/// Does every experiment of a paper in every column of its figure.
/// @throws SimulationError for the first GEMM that fails
[[nodiscard]] PaperResult run_paper(Paper paper, const PaperOptions& options);

}  // namespace stcsim
