#include "sim/run/kernel_contest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/kernel/kernel_search.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/kernel/stream_kernel.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/launch_result.hpp"

namespace stcsim {
namespace {

/// What narrow accesses are to blame for.
std::string alignment_note(const KernelCandidate& candidate) {
  const std::int64_t bytes =
      std::min(candidate.launch.a.access_bytes, candidate.launch.b.access_bytes);
  if (bytes == OperandStream::kWidestAccessBytes) return "";
  return fmt::format("rows of A or B are aligned to {} bytes only: loads of {}, not {}", bytes,
                     bytes, OperandStream::kWidestAccessBytes);
}

/// What keeps a sparse run from the pattern's full gain, as far as the tiling is to blame.
std::string padding_note(const KernelCandidate& candidate) {
  const std::int64_t padded = candidate.launch.k_steps * candidate.launch.tile_k;
  const std::int64_t k = candidate.launch.k;
  if (candidate.kernel.hardware.is_dense() || padded < k * 5 / 4) return "";
  return fmt::format("k = {} is padded to {} by the kernel's k-step of {}", k, padded,
                     candidate.launch.tile_k);
}

double real_of(std::int64_t cycles) {
  return static_cast<double>(cycles);
}
std::int64_t floored(double cycles) {
  return static_cast<std::int64_t>(std::floor(cycles));
}
std::int64_t raised(double cycles) {
  return static_cast<std::int64_t>(std::ceil(cycles));
}

/// Where the cycles of the faster one lie, of which a part was simulated; nothing if both were
/// simulated to their ends.
/// @param scale  one cycle of the slower one takes as long as so many of the faster one
std::optional<SampledPart> bound_of_faster(const LaunchResult& faster, const LaunchResult& slower,
                                           double scale) {
  if (!faster.sampled && !slower.sampled) return std::nullopt;
  SampledPart part =
      faster.sampled.value_or(SampledPart{0, 0, faster.kernel.ctas, faster.kernel.ctas});
  part.cycles_low = std::min(faster.cycles_low(), floored(scale * real_of(slower.cycles_low())));
  part.cycles_high = std::min(faster.cycles_high(), raised(scale * real_of(slower.cycles_high())));
  return part;
}

void take_faster(BestRun& best, BestRun other) {
  const bool is_faster = real_of(other.run.result.cycles) * best.clock_mhz <
                         real_of(best.run.result.cycles) * other.clock_mhz;
  if (is_faster) std::swap(best, other);
  best.run.result.sampled =
      bound_of_faster(best.run.result, other.run.result, best.clock_mhz / other.clock_mhz);
}

}  // namespace

LaunchResult finish_candidate(MachineRunner& runner, const GemmProblem& problem,
                              const KernelCandidate& candidate,
                              const LaunchStatistics& statistics) {
  LaunchResult result = to_result(statistics);
  result.kernel = kernel_report(runner.machine(), candidate.kernel, candidate.launch);
  if (candidate.launch.splits > 1) {
    append_launch(result,
                  runner.run(reduction_launch(runner.machine(), problem, candidate.launch.splits)));
  }
  const StreamingMultiprocessorConfig& sm = runner.machine().accelerator.sm;
  result.multiplier_macs = counted_macs(result, candidate.kernel.instruction, sm);
  result.actions = counted_actions(result, candidate.kernel.instruction, sm);
  result.peak_macs = result.cycles * peak_macs_per_clk(runner.machine(), problem.dtype);
  result.clock_mhz = runner.machine().clock_mhz;
  return result;
}

KernelContest::KernelContest(MachineRunner& runner, const GemmProblem& problem,
                             const KernelPolicy& policy, const LaunchConditions& conditions,
                             const SteadyState* steady)
    : runner_(runner),
      asked_(problem.a_pattern),
      problem_(in_windows(runner.machine(), problem)),
      policy_(policy),
      same_operands_(conditions.same_operands),
      steady_(steady) {
  require_runnable(runner.machine(), problem);
  runner.set_sampling(policy.sampled ? std::optional<SamplingEffort>(SamplingEffort())
                                     : std::nullopt);
  support_ = sparsity_support(runner.machine(), problem, policy);
  kernels_ = gemm_kernels(runner.machine(), problem_, policy, conditions);
}

LaunchResult KernelContest::simulate(const KernelCandidate& candidate) {
  return finish_candidate(runner_, problem_, candidate, runner_.run(candidate.launch));
}

BestRun KernelContest::fastest(LaunchResult first_result) {
  const double first_clock = clock_of(first_result);
  BestRun best{{std::move(first_result), first().kernel.hardware}, first(), first_clock};
  bool is_most_saving_measured = first().kernel.hardware == support_.hardware();
  std::vector<KernelLaunch> simulated{first().launch};
  for (std::size_t at = 1; at < kernels_.ranking.candidates.size(); ++at) {
    const KernelCandidate& candidate = kernels_.ranking.candidates[at];
    const Pattern hardware = candidate.kernel.hardware;
    is_most_saving_measured = is_most_saving_measured || hardware == support_.hardware();
    const std::int64_t simulated_before = runner_.simulated();
    const Cycles limit(at_full_clock(best.run.result.cycles, best.clock_mhz));
    const auto statistics = runner_.run_within(candidate.launch, limit);
    if (runner_.simulated() > simulated_before) simulated.push_back(candidate.launch);
    if (!statistics) continue;
    LaunchResult result = finish_candidate(runner_, problem_, candidate, *statistics);
    const double clock = clock_of(result);
    BestRun other{{std::move(result), hardware}, candidate, clock};
    other.run.rank = static_cast<std::int64_t>(at);
    take_faster(best, std::move(other));
  }
  best.run.reason =
      reason_for(support_, asked_, best.run.hardware_pattern, is_most_saving_measured);
  best.run.gathers = best.candidate.launch.gathers();
  std::string& reason = best.run.reason;
  for (const std::string& note : {padding_note(best.candidate), alignment_note(best.candidate)}) {
    if (!note.empty()) reason += (reason.empty() ? "" : "; ") + note;
  }
  if (kernels_.ranking.is_search) best.run.search = examine(best, simulated);
  return best;
}

double KernelContest::clock_of(const LaunchResult& launch) const {
  return steady_ != nullptr ? steady_->clock_for(launch) : runner_.machine().clock_mhz;
}

/// Cycles of the highest clock that take as long: a kernel that needs more is not faster,
/// whatever its clock.
std::int64_t KernelContest::at_full_clock(std::int64_t cycles, double clock_mhz) const {
  const double full_mhz =
      steady_ != nullptr ? runner_.machine_as_built().clock_mhz : runner_.machine().clock_mhz;
  return raised(real_of(cycles) * (full_mhz / clock_mhz));
}

/// @param simulated  launches, at least in part
KernelSearch KernelContest::examine(const BestRun& best,
                                    const std::vector<KernelLaunch>& simulated) const {
  return examine_search(
      runner_.machine(), problem_, kernels_.hardware, policy_, kernels_.ranking,
      {best.candidate, at_full_clock(best.run.result.cycles_high(), best.clock_mhz), simulated,
       same_operands_});
}

}  // namespace stcsim
