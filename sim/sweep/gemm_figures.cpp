#include "sim/sweep/gemm_figures.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_text.hpp"
#include "sim/run/bound_by.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr double kSecondsPerUs = 1e-6;

double ratio(double numerator, double denominator) {
  return denominator == 0 ? 0 : numerator / denominator;
}

/// Of a search for the kernel; null where a library's rule chose it.
void add_search(ordered_json& figures, const std::optional<KernelSearch>& search) {
  const auto or_null = [&](std::int64_t KernelSearch::*count) {
    return search ? ordered_json((*search).*count) : ordered_json();
  };
  figures["kernels_possible"] = or_null(&KernelSearch::possible);
  figures["kernels_simulated"] = or_null(&KernelSearch::simulated);
  figures["kernels_left_out"] = or_null(&KernelSearch::left_out);
  figures["regret_at_most"] =
      search ? json_number(search->regret_at_most, "regret_at_most") : ordered_json();
}

/// null if the machine does not say what its board draws.
ordered_json energy_json(double joules) {
  return joules > 0 ? json_number(joules, "joules") : ordered_json();
}

void add_times(ordered_json& figures, const std::string& prefix, const LaunchResult& launch) {
  figures[prefix + "cycles"] = launch.cycles;
  figures[prefix + "time_us"] = json_number(launch.time_us(), "time_us");
  figures[prefix + "clock_mhz"] = json_number(launch.clock_mhz, "clock_mhz");
  figures[prefix + "board_watts"] = json_number(launch.board_watts, "board_watts");
  figures[prefix + "joules"] = energy_json(launch.board_watts * launch.time_us() * kSecondsPerUs);
}

/// The kernel that ran, what it is bound by, and every counter of the machine.
void add_run(ordered_json& figures, const SweepPoint& point, const GemmRun& run) {
  const LaunchResult& launch = run.result;
  const KernelReport& kernel = launch.kernel;
  const MachineConfig& machine = point.machine->spec.config;
  figures.update({{"utilization", json_number(ratio(static_cast<double>(launch.multiplier_macs),
                                                    static_cast<double>(launch.peak_macs)),
                                              "utilization")},
                  {"bound_by", bound_by(at_clock(machine, launch.clock_mhz), launch)},
                  {"hardware_pattern", run.hardware_pattern.to_string()},
                  {"reason", run.reason},
                  {"kernel", kernel.name},
                  {"tile", fmt::format("{}x{}x{}", kernel.tile_m, kernel.tile_n, kernel.tile_k)},
                  {"instruction", kernel.instruction},
                  {"split_k", kernel.split_k},
                  {"ctas", kernel.ctas},
                  {"ctas_per_sm", kernel.ctas_per_sm},
                  {"waves", json_number(kernel.waves, "waves")},
                  {"multiplier_macs", launch.multiplier_macs},
                  {"mma_instructions", launch.mma_instructions}});
  add_search(figures, run.search);
  if (point.policy.sampled) {
    figures["cycles_low"] = launch.cycles_low();
    figures["cycles_high"] = launch.cycles_high();
    figures["simulated_share"] = json_number(launch.simulated_share(), "simulated_share");
  }
  for (const Counter& counter : launch.counters) figures[counter.name] = counter.value;
}

const StudyTotal& total_of(const StudyResult& study, const std::string& scheme) {
  for (const StudyTotal& total : study.totals) {
    if (total.scheme == scheme) return total;
  }
  throw SimulationError("the step has no total of " + scheme);
}

void add_phase(ordered_json& object, const std::string& name, const PhaseTotal& own,
               const PhaseTotal& dense) {
  object[name + "_cycles"] = own.cycles;
  object[name + "_time_us"] = json_number(own.time_us, name);
  object["dense_" + name + "_time_us"] = json_number(dense.time_us, name);
  object[name + "_speedup"] = json_number(own.speedup, name);
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
  ordered_json figures{{"m", gemm.m},
                       {"n", gemm.n},
                       {"k", gemm.k},
                       {"batch_count", gemm.batch_count},
                       {"dtype", to_string(gemm.dtype)},
                       {"pattern", gemm.a_pattern.to_string()}};
  add_times(figures, "", own.result);
  add_times(figures, "dense_", dense.result);
  figures["speedup"] = json_number(ratio(dense_us, own.result.time_us()), "speedup");
  figures["always_time_us"] = json_number(sparse.result.time_us(), "time_us");
  figures["always_speedup"] = json_number(always, "always_speedup");
  add_run(figures, point, own);
  if (is_left_dense) figures["reason"] = "left dense: gains no more than gains are off";
  return figures;
}

ordered_json step_point_figures(const StudyResult& study, const std::string& scheme) {
  if (!study.failures.empty()) throw SimulationError(study.failures.front());
  const StudyTotal& dense = study.totals.front();
  const StudyTotal& own = total_of(study, scheme);
  ordered_json figures{{"cycles", own.step.cycles},
                       {"time_us", json_number(own.step.time_us, "time_us")},
                       {"clock_mhz", json_number(own.clock_mhz, "clock_mhz")},
                       {"dense_cycles", dense.step.cycles},
                       {"dense_time_us", json_number(dense.step.time_us, "dense_time_us")},
                       {"dense_clock_mhz", json_number(dense.clock_mhz, "dense_clock_mhz")},
                       {"dense_board_watts", json_number(dense.dense_watts, "board_watts")},
                       {"joules", energy_json(own.joules)},
                       {"dense_joules", energy_json(dense.joules)},
                       {"speedup", json_number(own.step.speedup, "speedup")},
                       {"training_time_us", json_number(own.training.time_us, "training_time_us")},
                       {"training_speedup", json_number(own.training.speedup, "training_speedup")},
                       {"always_time_us", json_number(own.always.time_us, "always_time_us")},
                       {"always_speedup", json_number(own.always.speedup, "always_speedup")},
                       {"pass", own.pass},
                       {"software", own.stack}};
  add_phase(figures, "gemms", own.gemms, dense.gemms);
  add_phase(figures, "forward", own.forward, dense.forward);
  add_phase(figures, "dgrad", own.dgrad, dense.dgrad);
  add_phase(figures, "wgrad", own.wgrad, dense.wgrad);
  add_phase(figures, "other", own.other, dense.other);
  add_phase(figures, "optimizer", own.optimizer, dense.optimizer);
  figures["scheme_work_time_us"] = json_number(own.scheme_work.time_us, "scheme_work_time_us");
  figures["sparse_share_of_gemms"] = json_number(own.sparse_share.gemms, "sparse_share_of_gemms");
  figures["memory_bytes"] = own.memory.total();
  figures["fits"] = own.fits();
  return figures;
}

}  // namespace stcsim
