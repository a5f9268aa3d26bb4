#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/config/experiment.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/result.hpp"
#include "sim/study/scheme_gemms.hpp"
#include "sim/study/study_plan.hpp"
#include "workloads/framework.hpp"

namespace stcsim {

/// Fills in the numbers of a planned row, or nothing if one of its points failed.
/// @param as_built  the machine at its own clock, for what its board draws; null: energies stay 0
[[nodiscard]] std::optional<ResultRow> finish_row(const PlannedRow& planned,
                                                  const PointResults& results,
                                                  const MachineConfig& machine,
                                                  const MachineConfig* as_built = nullptr);

/// Adds up the rows of one machine, in order of first appearance of network, scheme and pass.
/// @param shares  of training in which each row's scheme is sparse
/// @param failed  rows without figures, which are missing in the sums
[[nodiscard]] std::vector<StudyTotal> sum_totals(const std::vector<ResultRow>& rows,
                                                 const std::vector<double>& shares,
                                                 double clock_mhz,
                                                 const std::vector<ResultRow>& failed = {});

/// Fills in what the training step of a total of `experiment` needs of the machine's memory, how
/// much it has, whose kernels run beside its GEMMs, and whether scores of attention lie there; of
/// products alone nothing of that. Weights count as compressed where the
/// machine can use the scheme's pattern, and does, or keeps them so to update them.
/// @param choices  which products run dense that could run sparse
void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine,
                const DenseChoices& choices = {});

/// Layer and operation of the rows below.
inline constexpr std::string_view kHostLayer = "host";
inline constexpr std::string_view kHostOp = "waits for launches";
inline constexpr std::string_view kSparseCallsOp = "waits for sparse calls";

/// Time in which the GPU waits for the host, as rows of the kind `launches`: of each network,
/// scheme and pass, what launching all kernels takes the host longer than running them takes the
/// GPU; and what its calls of sparse products add to that, as rows of the kind `sparse_calls`.
/// Where the host reads a result before the optimizer, its launches cannot run ahead of the
/// gradients: the optimizer then stands for itself, in a row of its own. No row where the host
/// keeps up; where only the dense step waits, one of 0 cycles (and a speedup of 1).
/// @param rows of one machine
[[nodiscard]] std::vector<ResultRow> host_rows(const std::vector<ResultRow>& rows,
                                               const LaunchCosts& launch, double clock_mhz);

/// Rows and their shares of training, as sum_totals() takes them.
struct SharedRows {
  std::vector<ResultRow> rows;
  std::vector<double> shares;
};

/// Puts a measured step in place of the simulated one (Network::measured_step): products have their
/// measured dense times, times the simulated ratio of their kernels; the optimizer and the kernels
/// beside the products are a row each; what schemes spend themselves stays as simulated. A last row
/// is the GPU's waits. step = max(host, GPU) + gaps, where the gaps are what the dense step takes
/// longer than either, and the host takes what was measured and what `launch` says of kernels and
/// sparse products that the scheme adds.
/// @param rows  of one machine and network, of training steps
/// @throws ConfigError if the step is shorter than its products
[[nodiscard]] SharedRows measured_rows(const Network& network, const SharedRows& rows,
                                       const LaunchCosts& launch, double clock_mhz);

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
