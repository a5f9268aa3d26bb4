#include "sim/study/study_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "common/phase.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/launch_result.hpp"
#include "sim/study/sparse_macs.hpp"
#include "sim/study/step_energy.hpp"

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
  const SparsitySupport support{{*pattern_from_string(row.hardware_pattern)}};
  const Pattern chosen = result_of(results, points.front())->hardware_pattern;
  const auto sparse = std::find_if(points.begin(), points.end(), [&](std::int64_t point) {
    return !result_of(results, point)->hardware_pattern.is_dense();
  });
  row.ran_sparse = sparse != points.end();
  row.hardware_pattern =
      (row.ran_sparse ? result_of(results, *sparse)->hardware_pattern : chosen).to_string();
  // The dense GEMM it stands for does not know what was asked.
  if (chosen.is_dense() && result_of(results, points.front())->reason.empty()) {
    row.reason += (row.reason.empty() ? "" : "; ") +
                  reason_for(support, *pattern_from_string(row.pattern), chosen, true);
  }
}

/// Whether the row is of a GEMM of the pass after training.
bool is_inference_gemm(const ResultRow& row) {
  return row.phase == kInferenceName && row.op == kGemmOp;
}

/// Cycles.
struct DoubleTotals {
  double forward = 0;
  double dgrad = 0;
  double wgrad = 0;
  double inference = 0;  // GEMMs of the pass after training
  double sparse_gemms = 0;
  double other = 0;
  double optimizer = 0;
  double scheme_work = 0;                    // part of other
  std::array<double, kStreamKinds> kinds{};  // parts of other and optimizer

  double& of(const ResultRow& row) {
    if (row.phase == to_string(Phase::forward)) return forward;
    if (row.phase == to_string(Phase::dgrad)) return dgrad;
    if (row.phase == to_string(Phase::wgrad)) return wgrad;
    if (row.phase == kOptimizerPhase) return optimizer;
    return is_inference_gemm(row) ? inference : other;
  }
  [[nodiscard]] double gemms() const { return forward + dgrad + wgrad + inference; }
  [[nodiscard]] double step() const { return gemms() + other + optimizer; }
};

/// Of a step with the scheme, and of the dense one.
struct StepSums {
  DoubleTotals with;
  DoubleTotals dense;
};

/// The row's StreamKind, kStreamKinds for a GEMM.
std::size_t kind_of(const ResultRow& row) {
  std::size_t at = 0;
  while (at < kStreamKinds && to_string(static_cast<StreamKind>(at)) != row.kind) ++at;
  return at;
}

/// Which pass a row is of, as StudyTotal::pass has it.
std::string_view pass_of(const ResultRow& row) {
  return row.phase == kInferenceName ? kInferenceName : kTrainingPass;
}

/// The part of the total, but gemms and step, that a row belongs to; null for a GEMM after
/// training.
PhaseTotal* part_of(StudyTotal& total, const ResultRow& row) {
  if (row.phase == to_string(Phase::forward)) return &total.forward;
  if (row.phase == to_string(Phase::dgrad)) return &total.dgrad;
  if (row.phase == to_string(Phase::wgrad)) return &total.wgrad;
  if (row.phase == kOptimizerPhase) return &total.optimizer;
  return is_inference_gemm(row) ? nullptr : &total.other;
}

/// The total of the row's network, scheme and pass, made anew if there is none.
std::size_t total_of(std::vector<StudyTotal>& totals, const ResultRow& row) {
  const auto known = std::find_if(totals.begin(), totals.end(), [&](const StudyTotal& total) {
    return total.network == row.network && total.scheme == row.scheme && total.pass == pass_of(row);
  });
  const auto index = static_cast<std::size_t>(known - totals.begin());
  if (known == totals.end()) {
    totals.emplace_back();
    totals.back().machine = row.machine;
    totals.back().network = row.network;
    totals.back().scheme = row.scheme;
    totals.back().pass = pass_of(row);
  }
  return index;
}

void count_failed(std::vector<StudyTotal>& totals, const ResultRow& row) {
  StudyTotal& total = totals[total_of(totals, row)];
  PhaseTotal* const part = part_of(total, row);
  if (part != nullptr) ++part->failed;
  if (kind_of(row) < kStreamKinds) ++total.kinds.at(kind_of(row)).failed;
  ++total.step.failed;
  ++total.training.failed;
  if (part != &total.other && part != &total.optimizer) ++total.gemms.failed;
  ++(row.scheme_work ? total.scheme_work : total.step_without_work).failed;
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

/// @param points  those that ran in the row's place
void find_energy(const PlannedRow& planned, const PointResults& results,
                 const std::vector<std::int64_t>& points, const MachineConfig& as_built,
                 double clock_mhz, ResultRow& row) {
  row.joules = joules_of(as_built, type_of(planned.gemms), clock_mhz, results, points);
  row.dense_joules =
      joules_of(as_built, type_of(planned.dense_gemms), clock_mhz, results, planned.dense_points);
}

PhaseTotal phase_total(double cycles, double dense_cycles, double clock_mhz) {
  return {std::llround(cycles), cycles / clock_mhz, cycles > 0 ? dense_cycles / cycles : 1.0, 0,
          dense_cycles / clock_mhz};
}

void add_to(StepSums& sums, const ResultRow& row) {
  const double repeat = static_cast<double>(row.repeat) / static_cast<double>(row.every);
  const double with = repeat * static_cast<double>(row.cycles);
  const double dense = repeat * static_cast<double>(row.dense_cycles);
  sums.with.of(row) += with;
  sums.dense.of(row) += dense;
  if (row.scheme_work) sums.with.scheme_work += with;
  if (row.fused_work) sums.with.scheme_work += with - dense;
  if (row.ran_sparse) {
    sums.with.sparse_gemms += with;
    sums.dense.sparse_gemms += dense;
  }
  const std::size_t kind = kind_of(row);
  if (kind == kStreamKinds) return;
  sums.with.kinds.at(kind) += with;
  sums.dense.kinds.at(kind) += dense;
}

/// All parts; its share of training is known.
void fill_in(const StepSums& sums, double clock_mhz, StudyTotal& total) {
  const auto& [with, dense] = sums;
  const auto part = [&](double cycles, double dense_cycles) {
    return phase_total(cycles, dense_cycles, clock_mhz);
  };
  total.forward = part(with.forward, dense.forward);
  total.dgrad = part(with.dgrad, dense.dgrad);
  total.wgrad = part(with.wgrad, dense.wgrad);
  total.gemms = part(with.gemms(), dense.gemms());
  total.sparse_gemms = part(with.sparse_gemms, dense.sparse_gemms);
  total.other = part(with.other, dense.other);
  total.optimizer = part(with.optimizer, dense.optimizer);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    total.kinds.at(kind) = part(with.kinds.at(kind), dense.kinds.at(kind));
  }
  total.scheme_work = part(with.scheme_work, dense.scheme_work);
  total.step = part(with.step(), dense.step());
  total.step_without_work = part(with.step() - with.scheme_work, dense.step());
  const double share = total.share_of_training;
  total.training = part(share * with.step() + (1.0 - share) * dense.step(), dense.step());
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
  if (row.simulated_share == 0) return;
  row.simulated_share = sum.simulated_share();
  row.cycles_low = sum.cycles_low();
  row.cycles_high = sum.cycles_high();
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
  if (row.op == kGemmOp) {
    row.tile = std::to_string(sum.kernel.tile_m) + "x" + std::to_string(sum.kernel.tile_n) + "x" +
               std::to_string(sum.kernel.tile_k);
  }
  count_macs(planned, results, points, row);
  if (row.ran_sparse) describe_hardware(results, points, row);
  add_note(result_of(results, points.front())->reason, row);
  return row;
}

std::vector<StudyTotal> sum_totals(const std::vector<ResultRow>& rows,
                                   const std::vector<double>& shares, double clock_mhz,
                                   const std::vector<ResultRow>& failed) {
  std::vector<StudyTotal> totals;
  std::vector<StepSums> sums;
  std::vector<SparseMacs> macs;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::size_t index = total_of(totals, rows[at]);
    macs.resize(totals.size());
    macs[index].add(rows[at]);
    sums.resize(totals.size());
    add_to(sums[index], rows[at]);
    totals[index].share_of_training = std::min(totals[index].share_of_training, shares[at]);
  }
  for (std::size_t at = 0; at < totals.size(); ++at) {
    totals[at].sparse_share = macs[at].shares();
    fill_in(sums[at], clock_mhz, totals[at]);
  }
  for (const ResultRow& row : failed) count_failed(totals, row);
  return totals;
}

}  // namespace stcsim
