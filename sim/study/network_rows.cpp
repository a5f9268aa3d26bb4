#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/run/sustained_clock.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {
namespace {

/// Rows whose kernels are queued together.
struct Stage {
  const ResultRow* first = nullptr;
  bool is_optimizer = false;
  double host_us = 0;
  double cycles = 0;
  double dense_host_us = 0;
  double dense_cycles = 0;

  void add(const ResultRow& row, const LaunchCosts& launch) {
    const double repeat = row.per_step();
    const double launch_us = launch.host_us + (row.ran_sparse ? launch.sparse_product_us : 0);
    host_us += repeat * static_cast<double>(row.launches) * launch_us;
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
    auto stage = std::find_if(stages.begin(), stages.end(), same);
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
  if (sum.counters.empty()) {
    sum.counters = launch.counters;
    for (Counter& counter : sum.counters) counter.value = 0;
  }
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
  return std::find_if(experiment.machines.begin(), experiment.machines.end(),
                      [&name](const MachineSpec& machine) { return machine.name == name; })
      ->config;
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

}  // namespace

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
    row.op = kHostOp;
    row.kind = StreamKind::launches;
    row.phase = stage.first->pass() == StudyPass::inference ? RowPhase::inference : RowPhase::other;
    if (stage.is_optimizer) row.phase = RowPhase::optimizer;
    row.cycles = waited(stage.host_us, stage.cycles, clock_mhz);
    row.dense_cycles = waited(stage.dense_host_us, stage.dense_cycles, clock_mhz);
    if (row.cycles == 0 && row.dense_cycles == 0) continue;
    row.time_us = static_cast<double>(row.cycles) / clock_mhz;
    row.dense_time_us = static_cast<double>(row.dense_cycles) / clock_mhz;
    row.speedup = row.cycles > 0
                      ? static_cast<double>(row.dense_cycles) / static_cast<double>(row.cycles)
                      : 1.0;
    waits.push_back(std::move(row));
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
    if (!is_of_dense_pass(experiment, planned.row)) continue;
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
  for (ResultRow& wait : waits_of(experiment, found.rows, machine.clock_mhz)) {
    if (has_power) find_wait_energy(as_built, machine.clock_mhz, wait);
    found.rows.push_back(std::move(wait));
    shares.push_back(1.0);
  }
  const std::optional<LaunchResult> dense_pass =
      has_power ? dense_pass_of(experiment, plan, results) : std::nullopt;
  found.totals = sum_totals(found.rows, shares, machine.clock_mhz, failed);
  for (StudyTotal& total : found.totals) {
    total.always = total.step;
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
