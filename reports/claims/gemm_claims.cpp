#include "reports/claims/gemm_claims.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/sha256.hpp"
#include "reports/validation/gemm_points.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/machine_json.hpp"
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

GemmPoint point_of(const GemmClaim& claim, Pattern pattern) {
  GemmPoint point{claim.machine, claim.problem, {}};
  point.policy.stack = claim.stack;
  point.problem.a_pattern = pattern;
  return point;
}

std::set<GemmPoint> points_of(const CheckedClaims& checked) {
  std::set<GemmPoint> points;
  for (const auto& [claim, answers] : checked.claims) {
    if (!claim.gemm) continue;
    points.insert(point_of(*claim.gemm, claim.gemm->problem.a_pattern));
    points.insert(point_of(*claim.gemm, claim.gemm->against));
  }
  return points;
}

}  // namespace

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
  std::map<std::string, const MachineConfig*> by_name;
  std::string hashed = checked.config_hash;
  for (const auto& [name, machine] : machines) {
    by_name.emplace(name, &machine);
    hashed += to_json(machine).dump();
  }
  const std::set<GemmPoint> points = points_of(checked);
  if (points.empty()) return;
  PointOptions how{options.jobs, options.fast_forward, {}};
  how.progress = [&](std::size_t done) {
    if (options.progress) options.progress(done, points.size());
  };
  const auto results = run_points(points, by_name, how);
  for (auto& [claim, answers] : checked.claims) {
    if (!claim.gemm) continue;
    const LaunchResult& run = results.at(point_of(*claim.gemm, claim.gemm->problem.a_pattern));
    const LaunchResult& against = results.at(point_of(*claim.gemm, claim.gemm->against));
    const MachineConfig& machine = machines.at(claim.gemm->machine);
    answers.push_back(
        answer_gemm_claim(claim, sort_of(machine), run, against, gemm_limits(machine, run)));
  }
  checked.config_hash = sha256_hex(hashed);
}

}  // namespace stcsim
