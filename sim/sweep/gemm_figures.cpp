#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/figures.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/sweep/sweep_run.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr double kSecondsPerUs = 1e-6;

double ratio(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

/// Nothing if the machine does not say what its board draws.
std::optional<double> energy(double joules) {
  return joules > 0 ? std::optional(joules) : std::nullopt;
}

void add_times(ordered_json& object, const std::string& prefix, const LaunchResult& launch) {
  add_figures(object,
              {{prefix + "cycles", launch.cycles},
               {prefix + "time_us", launch.time_us()},
               {prefix + "clock_mhz", launch.clock_mhz},
               {prefix + "board_watts", launch.board_watts},
               {prefix + "joules", energy(launch.board_watts * launch.time_us() * kSecondsPerUs)}});
}

/// The kernel that ran, what it is bound by, and every counter of the machine.
void add_run(ordered_json& object, const SweepPoint& point, const GemmRun& run) {
  const LaunchResult& launch = run.result;
  const KernelReport& kernel = launch.kernel;
  const MachineConfig& machine = point.machine->spec.config;
  // Nothing where a library's rule chose the kernel.
  const auto of_search = [&](auto KernelSearch::*figure) {
    return run.search ? std::optional((*run.search).*figure) : std::nullopt;
  };
  add_figures(object, {{"utilization", ratio(static_cast<double>(launch.multiplier_macs),
                                             static_cast<double>(launch.peak_macs))},
                       {"bound_by", bound_by(at_clock(machine, launch.clock_mhz), launch)},
                       {"hardware_pattern", run.hardware_pattern},
                       {"reason", run.reason},
                       {"kernel", kernel.name},
                       {"tile", kernel.tile()},
                       {"instruction", kernel.instruction},
                       {"split_k", kernel.split_k},
                       {"ctas", kernel.ctas},
                       {"ctas_per_sm", kernel.ctas_per_sm},
                       {"waves", kernel.waves},
                       {"multiplier_macs", launch.multiplier_macs},
                       {"mma_instructions", launch.mma_instructions},
                       {"kernels_possible", of_search(&KernelSearch::possible)},
                       {"kernels_simulated", of_search(&KernelSearch::simulated)},
                       {"kernels_left_out", of_search(&KernelSearch::left_out)},
                       {"regret_at_most", of_search(&KernelSearch::regret_at_most)}});
  if (point.policy.sampled) {
    add_figures(object, {{"cycles_low", launch.cycles_low()},
                         {"cycles_high", launch.cycles_high()},
                         {"simulated_share", launch.simulated_share()}});
  }
  for (const Counter& counter : launch.counters) object[counter.name] = counter.value;
}

const StudyTotal& total_of(const StudyResult& study, const std::string& scheme) {
  for (const StudyTotal& total : study.totals) {
    if (total.scheme == scheme) return total;
  }
  throw SimulationError("the step has no total of " + scheme);
}

/// Parts of a step that have figures of their own.
constexpr std::array<std::string_view, 6> kStepParts{"gemms", "forward", "dgrad",
                                                     "wgrad", "other",   "optimizer"};

void add_parts(ordered_json& object, const StudyTotal& own, const StudyTotal& dense) {
  for (const std::string_view part : kStepParts) {
    const auto listed =
        std::ranges::find(kTotalParts, part, [](const TotalPart& one) { return one.key.name; });
    const std::string name(part);
    add_figures(object, {{name + "_cycles", (own.*listed->part).cycles},
                         {name + "_time_us", (own.*listed->part).time_us},
                         {"dense_" + name + "_time_us", (dense.*listed->part).time_us},
                         {name + "_speedup", (own.*listed->part).speedup}});
  }
}

}  // namespace

ordered_json gemm_point_figures(const SweepPoint& point, const GemmRun& sparse,
                                const GemmRun& dense, double gain_error) {
  const GemmProblem& gemm = point.gemm;
  const double dense_us = dense.result.time_us();
  const double always = ratio(dense_us, sparse.result.time_us());
  const bool is_left_dense =
      point.where == SparseWhere::faster && !gemm.a_pattern.is_dense() && always <= 1 + gain_error;
  const GemmRun& own = is_left_dense ? dense : sparse;
  ordered_json object = figures({{"m", gemm.m},
                                 {"n", gemm.n},
                                 {"k", gemm.k},
                                 {"batch_count", gemm.batch_count},
                                 {"dtype", gemm.dtype},
                                 {"pattern", gemm.a_pattern}});
  add_times(object, "", own.result);
  add_times(object, "dense_", dense.result);
  add_figures(object, {{kSpeedupKey, ratio(dense_us, own.result.time_us())},
                       {"always_time_us", sparse.result.time_us()},
                       {"always_speedup", always}});
  add_run(object, point, own);
  if (is_left_dense) object["reason"] = "left dense: gains no more than gains are off";
  return object;
}

ordered_json step_point_figures(const StudyResult& study, const std::string& scheme) {
  if (!study.failures.empty()) throw SimulationError(study.failures.front());
  const StudyTotal& dense = study.totals.front();
  const StudyTotal& own = total_of(study, scheme);
  ordered_json object = figures({{"cycles", own.step.cycles},
                                 {"time_us", own.step.time_us},
                                 {"clock_mhz", own.clock_mhz},
                                 {"dense_cycles", dense.step.cycles},
                                 {"dense_time_us", dense.step.time_us},
                                 {"dense_clock_mhz", dense.clock_mhz},
                                 {"dense_board_watts", dense.dense_watts},
                                 {"joules", energy(own.joules)},
                                 {"dense_joules", energy(dense.joules)},
                                 {kSpeedupKey, own.step.speedup},
                                 {"training_time_us", own.training.time_us},
                                 {"training_speedup", own.training.speedup},
                                 {"always_time_us", own.always.time_us},
                                 {"always_speedup", own.always.speedup},
                                 {"pass", own.pass},
                                 {"software", own.stack}});
  add_parts(object, own, dense);
  add_figures(object, {{"scheme_work_time_us", own.scheme_work.time_us},
                       {"sparse_share_of_gemms", own.sparse_share.gemms},
                       {"memory_bytes", own.memory.total()},
                       {"fits", own.fits()}});
  return object;
}

}  // namespace stcsim
