#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {

/// What a machine's points say of one network.
struct NetworkRows {
  std::vector<ResultRow> rows;
  std::vector<StudyTotal> totals;
};

/// Whether a row is of the step that the board's clock follows from: the first scheme's training
/// step (the pass after training where nothing else was asked for).
[[nodiscard]] bool is_of_dense_pass(const Experiment& experiment, const ResultRow& row);

/// The dense training step (the pass after training where nothing else was asked for) as if it
/// were one launch, waits for the host included: what the board's mean power follows from.
/// Nothing if part of it failed.
/// @param plan     of one network; rows that are not is_of_dense_pass() may be missing
/// @param results  of the rows' points
[[nodiscard]] std::optional<LaunchResult> dense_pass_of(const Experiment& experiment,
                                                        const MachinePlan& plan,
                                                        const PointResults& results);

/// Whether rows have their units and counters, which are most of a row's memory.
enum class RowDetail : std::uint8_t { full, totals_only };

/// Finishes the network's rows, adds those of the host and the totals (but for their `stack`).
/// @param plan     of the network on one machine, at the clock that it names
/// @param results  of the plan's points
[[nodiscard]] NetworkRows network_rows(const Experiment& experiment, const MachinePlan& plan,
                                       const PointResults& results, RowDetail detail);

}  // namespace stcsim
