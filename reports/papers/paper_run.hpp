#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "reports/papers/paper_result.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How a paper is simulated. Its answers do not depend on it.
struct PaperOptions {
  /// What simulates an experiment.
  std::function<StudyResult(const Experiment&)> run;
  /// Worker processes that GEMMs run in side by side.
  std::int64_t jobs = 1;
  bool fast_forward = true;
  /// Told after every GEMM, with those done so far and their number; may be empty.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// Does every experiment of a paper in every column of its figure: steps of one network on one
/// machine in one study, all GEMMs together.
/// @throws SimulationError for the first GEMM that fails
[[nodiscard]] PaperResult run_paper(Paper paper, const PaperOptions& options);

}  // namespace stcsim
