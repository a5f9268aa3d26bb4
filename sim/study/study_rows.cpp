#include "sim/study/study_rows.hpp"

#include <algorithm>

#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/result.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {
namespace {

const GemmRun* result_of(const PointResults& results, std::int64_t point) {
  return results[static_cast<std::size_t>(point)].get();
}

std::optional<std::int64_t> sum_cycles(const PointResults& results,
                                       const std::vector<std::int64_t>& points) {
  std::int64_t sum = 0;
  for (const std::int64_t point : points) {
    const GemmRun* run = result_of(results, point);
    if (run == nullptr) return std::nullopt;
    sum += run->result.cycles;
  }
  return sum;
}

/// One launch after the other as if it were one; the kernel is that of the first.
LaunchResult chain(const PointResults& results, const std::vector<std::int64_t>& points) {
  LaunchResult sum = result_of(results, points.front())->result;
  for (std::size_t at = 1; at < points.size(); ++at) {
    append_result(sum, result_of(results, points[at])->result);
  }
  return sum;
}

/// Its points, or those of the dense GEMMs where these are faster.
std::vector<std::int64_t> fastest_points(const PlannedRow& planned, const PointResults& results) {
  std::vector<std::int64_t> points = planned.points;
  if (!planned.may_run_dense) return points;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const std::int64_t dense = planned.dense_points[at];
    const bool is_faster =
        result_of(results, dense)->result.cycles < result_of(results, points[at])->result.cycles;
    if (is_faster) points[at] = dense;
  }
  return points;
}

/// Fills m, n and k as they ran, of the part that takes longest.
void describe_shape(const PlannedRow& planned, const std::vector<std::int64_t>& points,
                    std::size_t part, ResultRow& row) {
  if (planned.gemms.empty()) return;
  const bool is_as_planned = points[part] == planned.points[part];
  const GemmProblem& gemm = is_as_planned ? planned.gemms[part] : planned.dense_gemms[part];
  row.m = gemm.m;
  row.n = gemm.n;
  row.k = gemm.k;
  row.batch_count = gemm.batch_count;
}

/// Says in the row of a GEMM (or several) planned as sparse what it ran as.
void describe_hardware(const PointResults& results, const std::vector<std::int64_t>& points,
                       ResultRow& row) {
  const SparsitySupport support{{row.hardware_pattern}};
  const Pattern chosen = result_of(results, points.front())->hardware_pattern;
  const auto sparse = std::find_if(points.begin(), points.end(), [&](std::int64_t point) {
    return !result_of(results, point)->hardware_pattern.is_dense();
  });
  row.ran_sparse = sparse != points.end();
  row.hardware_pattern = row.ran_sparse ? result_of(results, *sparse)->hardware_pattern : chosen;
  // The dense GEMM it stands for does not know what was asked.
  if (chosen.is_dense() && result_of(results, points.front())->reason.empty()) {
    row.reason += (row.reason.empty() ? "" : "; ") + reason_for(support, row.pattern, chosen, true);
  }
}

/// Kernels launched: split-K products have a second one, which adds up.
std::int64_t launches_of(const PointResults& results, const std::vector<std::int64_t>& points) {
  std::int64_t launches = 0;
  for (const std::int64_t point : points) {
    launches += result_of(results, point)->result.kernel.split_k > 1 ? 2 : 1;
  }
  return launches;
}

/// Which of the points takes longest.
std::size_t longest(const PointResults& results, const std::vector<std::int64_t>& points) {
  const auto takes_less = [&](std::int64_t one, std::int64_t other) {
    return result_of(results, one)->result.cycles < result_of(results, other)->result.cycles;
  };
  return static_cast<std::size_t>(std::max_element(points.begin(), points.end(), takes_less) -
                                  points.begin());
}

/// Stream kernels multiply nothing, whatever type is said.
DataType type_of(const std::vector<GemmProblem>& gemms) {
  return gemms.empty() ? DataType::fp16 : gemms.front().dtype;
}

/// Joules that the board draws for points one after the other at `clock_mhz` (board_energy()).
double joules_of(const MachineConfig& as_built, DataType dtype, double clock_mhz,
                 const PointResults& results, const std::vector<std::int64_t>& points) {
  double joules = 0;
  for (const std::int64_t point : points) {
    joules += board_energy(as_built, dtype, result_of(results, point)->result, clock_mhz).total();
  }
  return joules;
}

/// @param points  those that ran in the row's place
void find_energy(const PlannedRow& planned, const PointResults& results,
                 const std::vector<std::int64_t>& points, const MachineConfig& as_built,
                 double clock_mhz, ResultRow& row) {
  row.joules = joules_of(as_built, type_of(planned.gemms), clock_mhz, results, points);
  row.dense_joules =
      joules_of(as_built, type_of(planned.dense_gemms), clock_mhz, results, planned.dense_points);
}

void count_macs(const PlannedRow& planned, const PointResults& results,
                const std::vector<std::int64_t>& points, ResultRow& row) {
  for (std::size_t at = 0; at < planned.macs.size(); ++at) {
    const bool sparse = !result_of(results, points[at])->hardware_pattern.is_dense();
    row.macs += planned.macs[at];
    row.sparse_macs += sparse ? planned.macs[at] : 0;
  }
}

/// Cycles that other kernels could spare at most, over the row's cycles.
void find_regret(const PointResults& results, const std::vector<std::int64_t>& points,
                 ResultRow& row) {
  for (const std::int64_t point : points) {
    const GemmRun& run = *result_of(results, point);
    if (!run.search) continue;
    row.regret_at_most = row.regret_at_most.value_or(0) +
                         run.search->regret_at_most * static_cast<double>(run.result.cycles) /
                             static_cast<double>(row.cycles);
  }
}

void find_bound(const LaunchResult& sum, ResultRow& row) {
  if (row.sampled) row.sampled = {sum.simulated_share(), sum.cycles_low(), sum.cycles_high()};
}

void add_note(const std::string& note, ResultRow& row) {
  if (note.empty() || row.reason.find(note) != std::string::npos) return;
  row.has_kernel_note = true;
  row.reason = row.reason.empty() || note.find(row.reason) != std::string::npos
                   ? note
                   : row.reason + "; " + note;
}

}  // namespace

std::optional<ResultRow> finish_row(const PlannedRow& planned, const PointResults& results,
                                    const MachineConfig& machine, const MachineConfig* as_built) {
  const auto cycles = sum_cycles(results, planned.points);
  const auto dense = sum_cycles(results, planned.dense_points);
  if (!cycles || !dense) return std::nullopt;
  ResultRow row = planned.row;
  const std::vector<std::int64_t> points = fastest_points(planned, results);
  const LaunchResult sum = chain(results, points);
  row.cycles = sum.cycles;
  row.dense_cycles = *dense;
  find_bound(sum, row);
  find_regret(results, points, row);
  row.launches = launches_of(results, points);
  row.dense_launches = launches_of(results, planned.dense_points);
  row.time_us = static_cast<double>(row.cycles) / machine.clock_mhz;
  row.dense_time_us = static_cast<double>(row.dense_cycles) / machine.clock_mhz;
  // At one clock the ratio of times is that of cycles.
  row.speedup = static_cast<double>(row.dense_cycles) / static_cast<double>(row.cycles);
  if (sum.peak_macs > 0) {
    row.utilization = static_cast<double>(sum.multiplier_macs) / static_cast<double>(sum.peak_macs);
  }
  if (as_built != nullptr) find_energy(planned, results, points, *as_built, machine.clock_mhz, row);
  const std::size_t part = longest(results, points);
  row.longest_part = static_cast<std::int64_t>(part) + 1;
  describe_shape(planned, points, part, row);
  row.bound_by = bound_by(machine, result_of(results, points[part])->result);
  row.kernel = sum.kernel;
  row.counters = sum.counters;
  row.units = sum.units;
  count_macs(planned, results, points, row);
  if (row.ran_sparse) describe_hardware(results, points, row);
  add_note(result_of(results, points.front())->reason, row);
  return row;
}

}  // namespace stcsim
