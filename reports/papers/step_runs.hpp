#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/papers/paper_result.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// Simulates the steps that rows of a paper ask for, those of one network on one machine together,
/// and adds their answers in the order of each figure's columns.
/// @param run what simulates an experiment
/// @return the configuration hashes of what was simulated
[[nodiscard]] std::string answer_step_rows(
    PaperResult& result, const std::function<StudyResult(const Experiment&)>& run);

}  // namespace stcsim
