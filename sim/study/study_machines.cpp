#include "sim/study/study_machines.hpp"

#include <algorithm>

#include "models/accelerator/accelerator.hpp"
#include "sim/job/job_key.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

const StudyMachine& StudyMachines::at(const MachineSpec& as_built, double clock_mhz,
                                      const KernelPolicy& policy) {
  Built& built = this->built(as_built);
  const std::pair clock(clock_mhz, policy);
  const auto known = built.clocks.find(clock);
  if (known != built.clocks.end()) return known->second;
  MachineSpec spec{as_built.name, at_clock(as_built.config, clock_mhz)};
  JobMachine of_jobs{&built.spec.config, clock_mhz, machine_digests(spec.config, built.statistics)};
  StudyMachine machine{std::move(of_jobs), std::move(spec), policy};
  return built.clocks.try_emplace(clock, std::move(machine)).first->second;
}

StudyMachines::Built& StudyMachines::built(const MachineSpec& spec) {
  const auto known = std::find_if(built_.begin(), built_.end(), [&spec](const Built& other) {
    return other.spec.name == spec.name && other.spec.config == spec.config;
  });
  if (known != built_.end()) return *known;
  Built& built = built_.emplace_back();
  built.spec = spec;
  if (are_results_kept_) built.statistics = statistic_names(spec.config.accelerator);
  return built;
}

}  // namespace stcsim
