#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/io/yaml_reader.hpp"
#include "reports/evidence/verdict.hpp"
#include "reports/papers/paper_column.hpp"
#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// A whole training with a scheme: an experiment of `stcsim tta`, on each column's machine.
struct TrainingRow {
  std::string experiment_file;
  /// As the experiment names it.
  std::string scheme;
  Quantity quantity = Quantity::training_gain;
};

/// Reads the map `training` of a row.
[[nodiscard]] TrainingRow read_training_row(MapReader& map);

/// @param run what simulates an experiment
/// @return nothing if some of it could not be simulated
/// @throws ConfigError if the experiment has no such scheme, or does not say how long a training is
[[nodiscard]] std::optional<PaperAnswer> answer_of(
    const TrainingRow& row, const PaperColumn& column,
    const std::function<StudyResult(const Experiment&)>& run);

}  // namespace stcsim
