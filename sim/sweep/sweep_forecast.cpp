#include "sim/sweep/sweep_forecast.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_set>

#include "models/accelerator/accelerator.hpp"
#include "sim/job/job_key.hpp"

namespace stcsim {

GemmJobs::Pair GemmJobs::of(const SweepPoint& point) {
  const MachineConfig& config = point.machine->spec.config;
  const auto [machine, is_new] = machines_.try_emplace(point.machine.get());
  if (is_new) {
    machine->second = {&config, config.clock_mhz,
                       machine_digests(config, statistic_names(config.accelerator))};
  }
  LaunchConditions conditions;
  conditions.locked_clock_mhz = point.clock_mhz;
  const Job own{&machine->second, GemmWork{point.gemm}, point.policy, conditions};
  if (point.gemm.a_pattern.is_dense()) return {own, own};
  return {own,
          {own.machine, GemmWork{dense_of(point.gemm)}, policy_of_dense(point.policy), conditions}};
}

std::vector<std::size_t> points_of(const Shard& shard, const SweepPlan& plan) {
  const auto is_gemm = [](const SweepPoint& point) { return point.kind == PointKind::gemm; };
  const auto gemms =
      static_cast<std::size_t>(std::count_if(plan.points.begin(), plan.points.end(), is_gemm));
  const auto index = static_cast<std::size_t>(shard.index);
  const auto count = static_cast<std::size_t>(shard.count);
  std::vector<std::size_t> points;
  const auto add_share = [&](std::size_t first, std::size_t of) {
    for (std::size_t at = of * (index - 1) / count; at < of * index / count; ++at) {
      points.push_back(first + at);
    }
  };
  add_share(0, gemms);
  add_share(gemms, plan.points.size() - gemms);
  return points;
}

SweepForecast forecast(const SweepPlan& plan, const SweepStore* store, const Shard& shard) {
  SweepForecast forecast;
  GemmJobs jobs;
  std::unordered_set<std::string> gemms;
  std::unordered_set<std::string> done;
  std::unordered_set<std::string> failed;
  if (store != nullptr) {
    done = store->point_keys();
    failed = store->failure_keys();
  }
  std::unordered_set<const SweepMachine*> machines;
  for (const std::size_t at : points_of(shard, plan)) {
    const SweepPoint& point = plan.points[at];
    machines.insert(point.machine.get());
    ++(point.kind == PointKind::gemm ? forecast.gemm_points : forecast.step_points);
    if (done.count(point.key) > 0 || failed.count(point.key) > 0) continue;
    ++forecast.points_left;
    if (point.kind != PointKind::gemm) continue;
    const auto [own, dense] = jobs.of(point);
    gemms.insert({key_of(own), key_of(dense)});
  }
  forecast.machines = std::ssize(machines);
  forecast.gemms = std::count_if(gemms.begin(), gemms.end(), [&](const std::string& key) {
    return store == nullptr || !store->find_run(key);
  });
  return forecast;
}

}  // namespace stcsim
