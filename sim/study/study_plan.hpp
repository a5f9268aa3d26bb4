#pragma once

#include <cstdint>
#include <vector>

#include "common/gemm.hpp"
#include "sim/config/experiment.hpp"
#include "sim/job/job.hpp"
#include "sim/kernel/library.hpp"
#include "sim/run/result.hpp"
#include "sim/study/scheme_gemms.hpp"

namespace stcsim {

/// A row of the result whose numbers follow from points: cycles are the sum over `points`,
/// dense_cycles the sum over `dense_points`.
struct PlannedRow {
  ResultRow row;
  std::vector<std::int64_t> points;
  std::vector<std::int64_t> dense_points;
  /// Multiply-accumulates of each of `points`; none of stream kernels.
  std::vector<std::int64_t> macs;
  /// A GEMM that is faster dense runs so.
  bool may_run_dense = false;
  double share_of_training = 1.0;
  /// The GEMMs of `points` and `dense_points`; none of stream kernels.
  std::vector<GemmProblem> gemms;
  std::vector<GemmProblem> dense_gemms;
  /// Launched only where one of these products has more CTAs than run at a time; none: always.
  std::vector<std::int64_t> waves_of;
};

/// Everything an experiment asks of one machine: every different point once.
struct MachinePlan {
  const MachineSpec* machine = nullptr;
  std::vector<Work> points;
  std::vector<PlannedRow> rows;
};

[[nodiscard]] MachinePlan plan_machine(const Experiment& experiment, const MachineSpec& machine);
/// What one of its networks asks of the machine.
[[nodiscard]] MachinePlan plan_network(const Experiment& experiment, const MachineSpec& machine,
                                       const Network& network, const DenseChoices& choices = {});
/// The same, with what is to be known before it is chosen which products run dense; the points of
/// the plan itself come first.
struct UndecidedPlan {
  MachinePlan plan;
  /// Of schemes that run sparse where that is faster.
  std::vector<LayerOptions> options;
};
[[nodiscard]] UndecidedPlan plan_undecided(const Experiment& experiment, const MachineSpec& machine,
                                           const Network& network);

}  // namespace stcsim
