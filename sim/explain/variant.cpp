#include "sim/explain/variant.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "sim/job/job_runner.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {
namespace {

/// The different machines of variants.
class VariantMachines {
 public:
  /// @param machine  must outlive it
  const JobMachine& of(const MachineConfig& machine) {
    const auto known = std::find_if(machines_.begin(), machines_.end(), [&](const JobMachine& one) {
      return one.as_built->accelerator == machine.accelerator && *one.as_built == machine;
    });
    if (known != machines_.end()) return *known;
    const std::string number = std::to_string(machines_.size());
    return machines_.emplace_back(JobMachine{&machine, machine.clock_mhz, {number, number}});
  }

 private:
  std::deque<JobMachine> machines_;
};

Job job_of(const Variant& variant, const JobMachine& machine) {
  LaunchSequence work{{variant.launch}};
  if (variant.reduces) {
    work.launches.push_back(
        reduction_launch(variant.machine, variant.problem, variant.launch.splits));
  }
  return {&machine, std::move(work)};
}

}  // namespace

std::vector<TimesOfBoth> times_of(const std::vector<VariantsOfBoth>& variants,
                                  std::int64_t workers) {
  VariantMachines machines;
  std::vector<Job> jobs;
  for (const auto& [dense, sparse] : variants) {
    for (const Variant* const one : {&dense, &sparse}) {
      jobs.push_back(job_of(*one, machines.of(one->machine)));
    }
  }
  const auto answers = answers_to(jobs, {workers});
  const auto time_of = [](const GemmRun& run) {
    return TimedCycles{run.result.cycles, run.result.clock_mhz};
  };
  std::vector<TimesOfBoth> times;
  for (std::size_t at = 0; at < answers.size(); at += 2) {
    times.push_back({time_of(*answers[at]), time_of(*answers[at + 1])});
  }
  return times;
}

std::vector<ChosenKernel> choose_kernels(const MachineConfig& machine,
                                         const std::vector<KernelQuestion>& gemms,
                                         const LaunchConditions& conditions, std::int64_t workers) {
  JobMachines machines;
  std::vector<Job> jobs;
  for (const auto& [problem, policy] : gemms) {
    require_runnable(machine, problem);
    jobs.push_back({&machines.of(machine), GemmWork{problem}, policy, conditions});
  }
  const auto answers = answers_to(jobs, {workers});
  const MachineConfig first = at_clock(
      machine, conditions.locked_clock_mhz.value_or(machine.clock_mhz), conditions.launch_us);
  std::vector<ChosenKernel> chosen;
  for (std::size_t at = 0; at < gemms.size(); ++at) {
    const auto& [problem, policy] = gemms[at];
    const GemmRun& run = *answers[at];
    const auto candidates = gemm_kernels(first, problem, policy, conditions).ranking.candidates;
    chosen.push_back(
        {candidates.at(static_cast<std::size_t>(run.rank)), run.search, run.result.clock_mhz});
  }
  return chosen;
}

}  // namespace stcsim
