#include "sim/study/study_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/machine_runner.hpp"
#include "sim/run/result.hpp"

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
    const std::int64_t own = result_of(results, points[at])->result.cycles;
    if (result_of(results, dense)->result.cycles < own) points[at] = dense;
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
  const auto sparse = std::ranges::find_if(points, [&](std::int64_t point) {
    return !result_of(results, point)->hardware_pattern.is_dense();
  });
  row.ran_sparse = sparse != points.end();
  row.hardware_pattern = row.ran_sparse ? result_of(results, *sparse)->hardware_pattern : chosen;
  // The dense GEMM it stands for does not know what was asked.
  if (chosen.is_dense() && result_of(results, points.front())->reason.empty()) {
    add_reason(row.reason, reason_for(support, row.pattern, chosen, true));
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
  const auto cycles = [&](std::int64_t point) { return result_of(results, point)->result.cycles; };
  return static_cast<std::size_t>(std::ranges::max_element(points, {}, cycles) - points.begin());
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

void add_note(const std::string& note, ResultRow& row) {
  if (note.empty() || row.reason.find(note) != std::string::npos) return;
  row.has_kernel_note = true;
  row.reason = row.reason.empty() || note.find(row.reason) != std::string::npos
                   ? note
                   : row.reason + "; " + note;
}

/// Rows whose kernels are queued together.
struct Stage {
  const ResultRow* first = nullptr;
  bool is_optimizer = false;
  double host_us = 0;
  double sparse_calls_us = 0;
  double cycles = 0;
  double dense_host_us = 0;
  double dense_cycles = 0;

  void add(const ResultRow& row, const LaunchCosts& launch) {
    const double repeat = row.per_step();
    const double launches = repeat * static_cast<double>(row.launches);
    host_us += launches * launch.host_us;
    sparse_calls_us += row.ran_sparse ? launches * launch.sparse_product_us : 0;
    cycles += repeat * static_cast<double>(row.cycles);
    dense_host_us += repeat * static_cast<double>(row.dense_launches) * launch.host_us;
    dense_cycles += repeat * static_cast<double>(row.dense_cycles);
  }
};

std::vector<Stage> stages_of(const std::vector<ResultRow>& rows, const LaunchCosts& launch) {
  std::vector<Stage> stages;
  for (const ResultRow& row : rows) {
    const bool is_optimizer = launch.host_read_before_optimizer && row.phase == RowPhase::optimizer;
    const auto same = [&](const Stage& stage) {
      return stage.first->network == row.network && stage.first->scheme == row.scheme &&
             stage.first->pass() == row.pass() && stage.is_optimizer == is_optimizer;
    };
    auto stage = std::ranges::find_if(stages, same);
    if (stage == stages.end()) stage = stages.insert(stages.end(), Stage{&row, is_optimizer});
    stage->add(row, launch);
  }
  return stages;
}

/// The same counters, all 0.
std::vector<Counter> nothing_of(std::vector<Counter> counters) {
  for (Counter& counter : counters) counter.value = 0;
  return counters;
}

std::int64_t waited(double host_us, double cycles, double clock_mhz) {
  return std::max<std::int64_t>(0, std::llround(host_us * clock_mhz - cycles));
}

/// Adds `times` of what a launch took and counted; its kernel and units are left out.
void add_times(LaunchResult& sum, const LaunchResult& launch, double times) {
  const auto scaled = [times](std::int64_t value) {
    return std::llround(times * static_cast<double>(value));
  };
  sum.cycles += scaled(launch.cycles);
  sum.multiplier_macs += scaled(launch.multiplier_macs);
  sum.actions.vector_bytes += scaled(launch.actions.vector_bytes);
  if (sum.counters.empty()) sum.counters = nothing_of(launch.counters);
  for (std::size_t at = 0; at < sum.counters.size(); ++at) {
    sum.counters[at].value += scaled(launch.counters.at(at).value);
  }
}

/// Fills in what the host's waits take: the board draws idle.
void find_wait_energy(const MachineConfig& as_built, double clock_mhz, ResultRow& row) {
  const double watts_per_hertz = as_built.power.idle_watts / (clock_mhz * 1e6);
  row.joules = watts_per_hertz * static_cast<double>(row.cycles);
  row.dense_joules = watts_per_hertz * static_cast<double>(row.dense_cycles);
}

/// The machine at its own clock, which its energies are stated at.
const MachineConfig& as_built_of(const Experiment& experiment, const std::string& name) {
  return std::ranges::find(experiment.machines, name, &MachineSpec::name)->config;
}

/// host_rows() of networks that a program launches: nobody says what launches products alone.
std::vector<ResultRow> waits_of(const Experiment& experiment, const std::vector<ResultRow>& rows,
                                double clock_mhz) {
  std::vector<ResultRow> waits = host_rows(rows, experiment.framework.launch, clock_mhz);
  std::erase_if(waits, [&](const ResultRow& wait) {
    return std::ranges::find(experiment.networks, wait.network, &Network::name)->products_only;
  });
  return waits;
}

/// measured_rows() in place of the rows, where their network has a measured step.
/// @return whether it has
bool put_measured(const Experiment& experiment, double clock_mhz, std::vector<ResultRow>& rows,
                  std::vector<double>& shares) {
  if (rows.empty() || experiment.phases.empty()) return false;
  const Network& network =
      *std::ranges::find(experiment.networks, rows.front().network, &Network::name);
  if (!network.measured_step) return false;
  SharedRows own = measured_rows(network, {std::move(rows), std::move(shares)},
                                 experiment.framework.launch, clock_mhz);
  rows = std::move(own.rows);
  shares = std::move(own.shares);
  return true;
}

void add_waits(const Experiment& experiment, double clock_mhz, std::vector<ResultRow>& rows,
               std::vector<double>& shares) {
  if (rows.empty()) return;
  const MachineConfig& as_built = as_built_of(experiment, rows.front().machine);
  for (ResultRow& wait : waits_of(experiment, rows, clock_mhz)) {
    if (as_built.power.limit_watts > 0) find_wait_energy(as_built, clock_mhz, wait);
    rows.push_back(std::move(wait));
    shares.push_back(1.0);
  }
}

bool is_launched(const PlannedRow& planned, const PointResults& results) {
  return planned.waves_of.empty() || std::ranges::any_of(planned.waves_of, [&](std::int64_t point) {
           const GemmRun* const product = result_of(results, point);
           return product != nullptr && product->result.kernel.waves > 1;
         });
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
  if (row.sampled) row.sampled = {sum.simulated_share(), sum.cycles_low(), sum.cycles_high()};
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

std::vector<ResultRow> host_rows(const std::vector<ResultRow>& rows, const LaunchCosts& launch,
                                 double clock_mhz) {
  std::vector<ResultRow> waits;
  if (launch.host_us == 0 && launch.sparse_product_us == 0) return waits;
  for (const Stage& stage : stages_of(rows, launch)) {
    ResultRow row;
    row.machine = stage.first->machine;
    row.network = stage.first->network;
    row.scheme = stage.first->scheme;
    row.dtype = stage.first->dtype;
    row.counters = nothing_of(stage.first->counters);
    row.layer = kHostLayer;
    row.phase = stage.first->pass() == StudyPass::inference ? RowPhase::inference : RowPhase::other;
    if (stage.is_optimizer) row.phase = RowPhase::optimizer;
    const auto add = [&](StreamKind kind, std::string_view op, std::int64_t own,
                         std::int64_t dense) {
      row.kind = kind;
      row.op = op;
      row.cycles = own;
      row.dense_cycles = dense;
      row.time_us = static_cast<double>(own) / clock_mhz;
      row.dense_time_us = static_cast<double>(dense) / clock_mhz;
      row.speedup = own > 0 ? static_cast<double>(dense) / static_cast<double>(own) : 1.0;
      if (own > 0 || dense > 0) waits.push_back(row);
    };
    const std::int64_t own = waited(stage.host_us, stage.cycles, clock_mhz);
    add(StreamKind::launches, kHostOp, own,
        waited(stage.dense_host_us, stage.dense_cycles, clock_mhz));
    const double host_us = stage.host_us + stage.sparse_calls_us;
    add(StreamKind::sparse_calls, kSparseCallsOp, waited(host_us, stage.cycles, clock_mhz) - own,
        0);
  }
  return waits;
}

bool is_of_dense_pass(const Experiment& experiment, const ResultRow& row) {
  const StudyPass pass = experiment.phases.empty() ? StudyPass::inference : StudyPass::training;
  return row.scheme == experiment.schemes.front().name && row.pass() == pass;
}

std::optional<LaunchResult> dense_pass_of(const Experiment& experiment, const MachinePlan& plan,
                                          const PointResults& results) {
  const MachineConfig& machine = plan.machine->config;
  LaunchResult sum;
  std::vector<ResultRow> rows;
  for (const PlannedRow& planned : plan.rows) {
    if (!is_of_dense_pass(experiment, planned.row) || !is_launched(planned, results)) continue;
    for (const std::int64_t point : planned.dense_points) {
      const auto& result = results[static_cast<std::size_t>(point)];
      if (result == nullptr) return std::nullopt;
      add_times(sum, result->result, planned.row.per_step());
    }
    if (auto row = finish_row(planned, results, machine)) rows.push_back(std::move(*row));
  }
  for (const ResultRow& wait : waits_of(experiment, rows, machine.clock_mhz)) {
    sum.cycles += wait.dense_cycles;
  }
  if (sum.cycles == 0) return std::nullopt;
  return sum;
}

NetworkRows network_rows(const Experiment& experiment, const MachinePlan& plan,
                         const PointResults& results, RowDetail detail) {
  const MachineConfig& machine = plan.machine->config;
  const MachineConfig& as_built = as_built_of(experiment, plan.machine->name);
  const bool has_power = as_built.power.limit_watts > 0;
  NetworkRows found;
  std::vector<double> shares;
  std::vector<ResultRow> failed;
  for (const PlannedRow& planned : plan.rows) {
    if (!is_launched(planned, results)) continue;
    if (auto row = finish_row(planned, results, machine, has_power ? &as_built : nullptr)) {
      if (detail == RowDetail::totals_only) {
        row->units = {};
        row->counters = {};
      }
      found.rows.push_back(std::move(*row));
      shares.push_back(planned.share_of_training);
    } else {
      failed.push_back(planned.row);
    }
  }
  const bool is_measured =
      failed.empty() && put_measured(experiment, machine.clock_mhz, found.rows, shares);
  if (!is_measured) add_waits(experiment, machine.clock_mhz, found.rows, shares);
  const std::optional<LaunchResult> dense_pass =
      has_power ? dense_pass_of(experiment, plan, results) : std::nullopt;
  found.totals = sum_totals(found.rows, shares, machine.clock_mhz, failed);
  for (StudyTotal& total : found.totals) {
    total.always = total.step;
    total.measured = is_measured;
    total.clock_mhz = machine.clock_mhz;
    if (experiment.clock_mhz) total.clock_of = "experiment";
    if (!experiment.clock_mhz && machine.clock_mhz < as_built.clock_mhz) total.clock_of = "power";
    if (dense_pass) {
      total.dense_watts = board_watts(as_built, experiment.dtype, *dense_pass, machine.clock_mhz);
    }
  }
  return found;
}

}  // namespace stcsim
