#include "sim/study/network_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/phase.hpp"
#include "sim/run/sustained_clock.hpp"
#include "sim/study/host_time.hpp"
#include "sim/study/step_energy.hpp"

namespace stcsim {
namespace {

/// Adds `times` of what a launch took and counted; its kernel and units are left out.
void add_times(LaunchResult& sum, const LaunchResult& launch, double times) {
  const auto scaled = [times](std::int64_t value) {
    return std::llround(times * static_cast<double>(value));
  };
  sum.cycles += scaled(launch.cycles);
  sum.multiplier_macs += scaled(launch.multiplier_macs);
  if (sum.counters.empty()) {
    sum.counters = launch.counters;
    for (Counter& counter : sum.counters) counter.value = 0;
  }
  for (std::size_t at = 0; at < sum.counters.size(); ++at) {
    sum.counters[at].value += scaled(launch.counters.at(at).value);
  }
}

/// The machine at its own clock, which its energies are stated at.
const MachineConfig& as_built_of(const Experiment& experiment, const std::string& name) {
  return std::find_if(experiment.machines.begin(), experiment.machines.end(),
                      [&name](const MachineSpec& machine) { return machine.name == name; })
      ->config;
}

}  // namespace

bool is_of_dense_pass(const Experiment& experiment, const ResultRow& row) {
  const bool is_inference = experiment.phases.empty();
  return row.scheme == experiment.schemes.front().name &&
         (row.phase == kInferenceName) == is_inference;
}

std::optional<LaunchResult> dense_pass_of(const Experiment& experiment, const MachinePlan& plan,
                                          const PointResults& results) {
  const MachineConfig& machine = plan.machine->config;
  LaunchResult sum;
  std::vector<ResultRow> rows;
  for (const PlannedRow& planned : plan.rows) {
    if (!is_of_dense_pass(experiment, planned.row)) continue;
    const double times =
        static_cast<double>(planned.row.repeat) / static_cast<double>(planned.row.every);
    for (const std::int64_t point : planned.dense_points) {
      const auto& result = results[static_cast<std::size_t>(point)];
      if (result == nullptr) return std::nullopt;
      add_times(sum, result->result, times);
    }
    if (auto row = finish_row(planned, results, machine)) rows.push_back(std::move(*row));
  }
  for (const ResultRow& wait : host_rows(rows, experiment.framework.launch, machine.clock_mhz)) {
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
  for (ResultRow& wait : host_rows(found.rows, experiment.framework.launch, machine.clock_mhz)) {
    if (has_power) find_wait_energy(as_built, machine.clock_mhz, wait);
    found.rows.push_back(std::move(wait));
    shares.push_back(1.0);
  }
  const std::optional<LaunchResult> dense_pass =
      has_power ? dense_pass_of(experiment, plan, results) : std::nullopt;
  found.totals = sum_totals(found.rows, shares, machine.clock_mhz, failed);
  add_energies(found.rows, found.totals);
  for (StudyTotal& total : found.totals) {
    total.always = total.step;
    if (experiment.stream_kernels) total.framework = experiment.framework.name;
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
