#include "reports/claims/gemm_claims.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/sha256.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/field_json.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/run/bound_by.hpp"

namespace stcsim {
namespace {

using Machines = std::map<std::string, MachineConfig>;

Machines machines_of(const CheckedClaims& checked) {
  Machines machines;
  for (const auto& [claim, answers] : checked.claims) {
    if (claim.gemm)
      machines.try_emplace(claim.gemm->machine, load_machine(claim.gemm->machine_file).config);
  }
  return machines;
}

Job job_of(const GemmClaim& claim, const JobMachine& machine, Pattern pattern) {
  GemmProblem problem = claim.problem;
  problem.a_pattern = pattern;
  return gemm_job(machine, problem, claim.stack);
}

}  // namespace

Job gemm_job(const JobMachine& machine, const GemmProblem& problem, const std::string& stack) {
  Job job{&machine, GemmWork{problem}, {}, LaunchConditions()};
  job.policy.stack = stack;
  return job;
}

std::string gemm_limits(const MachineConfig& machine, const LaunchResult& run) {
  const std::string limit = bound_by(at_clock(machine, run.clock_mhz), run);
  const double busy = static_cast<double>(run.multiplier_macs) / static_cast<double>(run.peak_macs);
  return fmt::format("multipliers busy {}, {}", format_percent(busy),
                     limit == "unclear" ? "nothing alone limits" : "bound by " + limit);
}

ClaimAnswer answer_gemm_claim(const Claim& claim, MachineSort machine, const LaunchResult& run,
                              const LaunchResult& against, std::string because) {
  ClaimAnswer answer;
  answer.machine = claim.gemm->machine;
  answer.value = claim.quantity == ClaimQuantity::kernel_cycles ? static_cast<double>(run.cycles)
                                                                : against.time_us() / run.time_us();
  answer.low = answer.high = answer.value;
  judge(claim, machine, answer);
  answer.because = std::move(because);
  if (!claim.gemm->note.empty()) answer.because += "; " + claim.gemm->note;
  if (!claim.fitted.empty()) answer.because += "; fitted: " + claim.fitted;
  return answer;
}

void check_gemm_claims(CheckedClaims& checked, const GemmClaimOptions& options) {
  const Machines machines = machines_of(checked);
  std::string hashed = checked.config_hash;
  for (const auto& [name, machine] : machines) hashed += to_json(machine).dump();
  JobMachines of_jobs;
  std::vector<Job> jobs;
  for (const auto& [claim, answers] : checked.claims) {
    if (!claim.gemm) continue;
    const JobMachine& machine = of_jobs.of(machines.at(claim.gemm->machine));
    jobs.push_back(job_of(*claim.gemm, machine, claim.gemm->problem.a_pattern));
    jobs.push_back(job_of(*claim.gemm, machine, claim.gemm->against));
  }
  if (jobs.empty()) return;
  const Answers results =
      answers_to(jobs, {options.jobs, options.fast_forward}, [&](std::size_t done) {
        if (options.progress) options.progress(done, jobs.size());
      });
  std::size_t at = 0;
  for (auto& [claim, answers] : checked.claims) {
    if (!claim.gemm) continue;
    const LaunchResult& run = results[at++]->result;
    const LaunchResult& against = results[at++]->result;
    const MachineConfig& machine = machines.at(claim.gemm->machine);
    answers.push_back(
        answer_gemm_claim(claim, sort_of(machine), run, against, gemm_limits(machine, run)));
  }
  checked.config_hash = sha256_hex(hashed);
}

}  // namespace stcsim
