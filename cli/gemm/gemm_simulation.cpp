#include "cli/gemm/gemm_simulation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/study/scheme_gemms.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {
namespace {

/// In FLOP of the dense GEMM, columns that are left out included and copies not.
double peak_of(const MachineConfig& machine, const GemmProblem& problem, const GemmRun& run) {
  const double peak = peak_tflops(machine, problem.dtype, run.hardware_pattern);
  const std::int64_t k =
      run.gathers ? of_selected_columns(problem).k : in_windows(machine, problem).k;
  return run.hardware_pattern.is_dense()
             ? peak
             : peak * static_cast<double>(problem.k) / static_cast<double>(k);
}

/// How far times and gains are off, as validated.
std::optional<TimeErrors> errors_of(const GemmOptions& options) {
  const auto errors = ValidatedErrors::load(config_directory() / "validation");
  if (!errors) return std::nullopt;
  return errors->of(options.machine.name, options.problem.dtype, "");
}

double gain_error_of(const GemmOptions& options) {
  return errors_of(options).value_or(TimeErrors()).gain.mean();
}

/// Whether the dense GEMM runs in the sparse one's place: where that does not gain enough.
bool is_left_dense(const GemmOptions& options, double gain) {
  return options.where == SparseWhere::faster && gain <= 1 + gain_error_of(options);
}

double time_us(const GemmOptions& options, const LaunchResult& launch) {
  return options.method.time_us(launch.time_us());
}

/// @return whether the dense GEMM stays in its place
bool choose_kernel(const GemmOptions& options, GemmReport& report) {
  const double gain = time_us(options, *report.dense) / time_us(options, report.launch);
  if (!is_left_dense(options, gain)) return false;
  add_reason(report.reason, fmt::format("left dense: {} gains {}, no more than gains are off ({})",
                                        options.problem.a_pattern.to_string(), format_speedup(gain),
                                        format_percent(gain_error_of(options))));
  report.launch = *report.dense;
  report.search = report.dense_search;
  report.hardware_pattern = kDense;
  report.peak_tflops = peak_tflops(options.machine, options.dense.dtype, kDense);
  return true;
}

/// What the GEMM gains with the software that users of the machine could run instead, chosen in the
/// same way.
std::vector<StackGain> gains_beside(const GemmOptions& options, MachineRunner& runner) {
  std::vector<StackGain> gains;
  if (options.policy.kernel != "auto" || !options.with_spread) return gains;
  for (const std::string& stack : options.machine.stacks_beside(options.policy.stack)) {
    KernelPolicy policy = options.policy;
    policy.stack = stack;
    const auto time_of = [&](const GemmProblem& problem) {
      return time_us(options,
                     run_gemm_sustained(runner, problem, policy, options.method.launches).result);
    };
    const double dense = time_of(options.dense);
    const double sparse = time_of(options.problem);
    const double own = is_left_dense(options, dense / sparse) ? dense : sparse;
    gains.push_back({stack, own, dense / own});
  }
  return gains;
}

/// @return the first draw's
GemmRun simulate_draws(const GemmOptions& options, MachineRunner& runner,
                       FunctionalOutcome& outcome) {
  GemmRun first;
  FunctionalOptions values = *options.functional;
  outcome.draws = values.draws;
  for (std::int64_t draw = 0; draw < outcome.draws; ++draw, ++values.seed) {
    const FunctionalRun one = run_gemm_with_values(runner, options.problem, options.policy,
                                                   options.method.launches, values);
    const std::int64_t cycles = one.run.result.cycles;
    if (draw == 0) first = one.run;
    if (outcome.text.empty()) outcome.text = one.check.first_mismatch;
    outcome.checked_elements += one.check.elements;
    outcome.mismatches += one.check.mismatches;
    outcome.mean_cycles += static_cast<double>(cycles) / static_cast<double>(outcome.draws);
    outcome.least_cycles = draw == 0 ? cycles : std::min(outcome.least_cycles, cycles);
    outcome.most_cycles = std::max(outcome.most_cycles, cycles);
  }
  return first;
}

GemmReport simulate(const GemmOptions& options, MachineRunner& runner) {
  runner.set_fast_forward(options.fast_forward);
  GemmReport report;
  GemmRun run;
  if (options.functional) {
    run = simulate_draws(options, runner, report.functional.emplace());
  } else {
    run = run_gemm_sustained(runner, options.problem, options.policy, options.method.launches,
                             {options.traced, &report.timeline});
  }
  report.launch = run.result;
  report.search = run.search;
  report.may_be_sampled = options.policy.sampled;
  report.hardware_pattern = run.hardware_pattern;
  report.peak_tflops = peak_of(runner.machine_as_built(), options.problem, run);
  report.layer = options.layer_title;
  report.reason = options.layer_reason;
  add_reason(report.reason, run.reason);
  if (options.problem == options.dense) return report;
  std::optional<Timeline> dense_timeline;
  const GemmRun dense =
      run_gemm_sustained(runner, options.dense, policy_of_dense(options.policy),
                         options.method.launches, {options.traced, &dense_timeline});
  report.dense = dense.result;
  report.dense_search = dense.search;
  if (choose_kernel(options, report)) report.timeline = std::move(dense_timeline);
  report.beside = gains_beside(options, runner);
  return report;
}

}  // namespace

GemmReport simulate_gemm(const GemmOptions& options, MachineRunner& runner) {
  GemmReport report = simulate(options, runner);
  const MachineConfig& machine = options.machine;
  report.problem = options.problem;
  report.machine = machine.name;
  report.stack = options.software();
  report.method = options.method;
  report.clock_mhz = machine.clock_mhz;
  report.power_limit_watts = machine.power.limit_watts;
  report.bound_by = bound_by(at_clock(machine, report.launch.clock_mhz), report.launch);
  report.dense_peak_tflops = peak_tflops(machine, options.dense.dtype, kDense);
  report.resolved_config = options.resolved_config;
  report.config_hash = options.config_hash;
  const double own_us = time_us(options, report.launch);
  const double dense_us = report.dense ? time_us(options, *report.dense) : own_us;
  if (const auto errors = errors_of(options)) {
    report.likely = gemm_intervals(
        *errors, {options.problem, options.dense, report.hardware_pattern, own_us, dense_us});
  }
  return report;
}

ExplainReport explain_gemm(const GemmOptions& options, std::int64_t jobs) {
  ExplainReport report;
  report.machine = options.machine.name;
  report.clock_mhz = options.machine.clock_mhz;
  report.stack = options.software();
  report.explanation =
      explain(options.machine,
              {options.problem, options.dense, options.policy, options.method.launches}, jobs);
  report.resolved_config = options.resolved_config;
  report.config_hash = options.config_hash;
  if (const auto errors = errors_of(options)) {
    const auto& [dense, own] = report.explanation.all;
    report.likely = gemm_intervals(
        *errors, {options.problem, options.dense, report.explanation.hardware_pattern,
                  own.time_us(), dense.time_us()});
  }
  return report;
}

}  // namespace stcsim
