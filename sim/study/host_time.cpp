#include "sim/study/host_time.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/phase.hpp"

namespace stcsim {
namespace {

/// Rows whose kernels are queued together.
struct Stage {
  const ResultRow* first = nullptr;
  bool is_optimizer = false;
  double launches = 0;
  double cycles = 0;
  double dense_launches = 0;
  double dense_cycles = 0;

  void add(const ResultRow& row) {
    const double repeat = static_cast<double>(row.repeat) / static_cast<double>(row.every);
    launches += repeat * static_cast<double>(row.launches);
    cycles += repeat * static_cast<double>(row.cycles);
    dense_launches += repeat * static_cast<double>(row.dense_launches);
    dense_cycles += repeat * static_cast<double>(row.dense_cycles);
  }
};

bool is_inference(const ResultRow& row) {
  return row.phase == kInferenceName;
}

std::vector<Stage> stages_of(const std::vector<ResultRow>& rows, bool optimizer_apart) {
  std::vector<Stage> stages;
  for (const ResultRow& row : rows) {
    const bool is_optimizer = optimizer_apart && row.phase == kOptimizerPhase;
    const auto same = [&](const Stage& stage) {
      return stage.first->network == row.network && stage.first->scheme == row.scheme &&
             is_inference(*stage.first) == is_inference(row) && stage.is_optimizer == is_optimizer;
    };
    auto stage = std::find_if(stages.begin(), stages.end(), same);
    if (stage == stages.end()) stage = stages.insert(stages.end(), Stage{&row, is_optimizer});
    stage->add(row);
  }
  return stages;
}

/// The same counters, all 0.
std::vector<Counter> nothing_of(std::vector<Counter> counters) {
  for (Counter& counter : counters) counter.value = 0;
  return counters;
}

std::int64_t waited(double launches, double cycles, double cycles_per_launch) {
  return std::max<std::int64_t>(0, std::llround(launches * cycles_per_launch - cycles));
}

}  // namespace

std::vector<ResultRow> host_rows(const std::vector<ResultRow>& rows, const LaunchCosts& launch,
                                 double clock_mhz) {
  std::vector<ResultRow> waits;
  if (launch.host_us == 0) return waits;
  const double cycles_per_launch = launch.host_us * clock_mhz;
  for (const Stage& stage : stages_of(rows, launch.host_read_before_optimizer)) {
    ResultRow row;
    row.machine = stage.first->machine;
    row.network = stage.first->network;
    row.scheme = stage.first->scheme;
    row.dtype = stage.first->dtype;
    row.counters = nothing_of(stage.first->counters);
    row.layer = kHostLayer;
    row.op = kHostOp;
    row.kind = to_string(StreamKind::launches);
    row.phase = is_inference(*stage.first) ? kInferenceName : kOtherPhase;
    if (stage.is_optimizer) row.phase = kOptimizerPhase;
    row.cycles = waited(stage.launches, stage.cycles, cycles_per_launch);
    row.dense_cycles = waited(stage.dense_launches, stage.dense_cycles, cycles_per_launch);
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

}  // namespace stcsim
