#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "sim/config/experiment.hpp"
#include "sim/job/job.hpp"
#include "sim/kernel/kernel_policy.hpp"

namespace stcsim {

/// A machine at a clock, on which kernels are picked in one way.
struct StudyMachine {
  JobMachine of_jobs;
  /// At this clock.
  MachineSpec spec;
  KernelPolicy policy;

  [[nodiscard]] Job job(const Work& work) const { return {&of_jobs, work, policy}; }
};

/// The machines of experiments, each at all clocks that it is asked for. Equal ones are one.
class StudyMachines {
 public:
  /// @param are_results_kept  digests are those of stored results. No machine of the process may
  ///                          have run before; else they tell apart what this object made only.
  explicit StudyMachines(bool are_results_kept) : are_results_kept_(are_results_kept) {}

  /// @return stays where it is
  [[nodiscard]] const StudyMachine& at(const MachineSpec& as_built, double clock_mhz,
                                       const KernelPolicy& policy);

 private:
  struct Built {
    MachineSpec spec;
    std::string statistics;
    std::map<std::pair<double, KernelPolicy>, StudyMachine> clocks;
  };

  Built& built(const MachineSpec& spec);

  bool are_results_kept_;
  std::deque<Built> built_;
};

}  // namespace stcsim
