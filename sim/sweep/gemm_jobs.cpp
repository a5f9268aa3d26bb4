#include "sim/sweep/gemm_jobs.hpp"

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

}  // namespace stcsim
