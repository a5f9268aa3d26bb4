#include "sim/sweep/gemm_jobs.hpp"

#include <fmt/format.h>

#include "common/io/sha256.hpp"
#include "models/accelerator/statistic_names.hpp"

namespace stcsim {

double GemmJob::work() const {
  StudyPoint point;
  point.gemm = gemm;
  return estimated_work(point);
}

GemmProblem dense_of(const GemmProblem& gemm) {
  GemmProblem dense = gemm;
  dense.a_pattern = kDense;
  return dense;
}

void GemmJobs::add(const SweepPlan& plan, std::size_t number) {
  const SweepPoint& point = plan.points[number];
  add(point, number, point.gemm, point.policy);
  if (point.gemm.a_pattern.is_dense()) return;
  KernelPolicy automatic = point.policy;
  if (automatic.kernel != "auto") {
    automatic = {"auto", point.policy.candidates, "", point.policy.sampled};
  }
  add(point, number, dense_of(point.gemm), automatic);
}

void GemmJobs::add(const SweepPoint& point, std::size_t number, const GemmProblem& gemm,
                   const KernelPolicy& policy) {
  std::string key = key_of(point, gemm, policy);
  const auto [known, is_new] = by_key_.try_emplace(key, jobs_.size());
  if (is_new) {
    const std::int64_t group = groups_.at(point.machine.get()).first;
    jobs_.push_back({std::move(key), point.machine, gemm, policy, point.clock_mhz, {}, group});
  }
  jobs_[known->second].points.push_back(number);
}

std::string GemmJobs::key_of(const SweepPoint& point, const GemmProblem& gemm,
                             const KernelPolicy& policy) {
  const SweepMachine* const machine = point.machine.get();
  const MachineConfig& config = machine->spec.config;
  auto group = groups_.find(machine);
  if (group == groups_.end()) {
    const auto number = static_cast<std::int64_t>(groups_.size());
    group = groups_.try_emplace(machine, number, statistic_names(config.accelerator)).first;
  }
  auto keys = keys_.find({machine, policy});
  if (keys == keys_.end()) {
    keys = keys_.try_emplace({machine, policy}, config, policy, group->second.second).first;
  }
  StudyPoint study_point;
  study_point.gemm = gemm;
  const std::string clock = point.clock_mhz ? fmt::format("{}", *point.clock_mhz) : "its own";
  return sha256_hex(fmt::format("sustained {} {}", clock, keys->second.of(study_point)));
}

}  // namespace stcsim
