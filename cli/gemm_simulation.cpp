#include "cli/gemm_simulation.hpp"

#include "sim/kernel/library.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/peak_rate.hpp"
#include "sim/study/scheme_gemms.hpp"

namespace stcsim {
namespace {

/// "" if a kernel was named.
std::string software_of(const GemmOptions& options) {
  if (options.policy.kernel != "auto") return "";
  return describe(stack_named(options.machine, options.policy.stack));
}

/// The GEMM with its dense baseline if it is sparse.
/// In FLOP of the dense GEMM, columns that are left out included.
double peak_of(const MachineConfig& machine, const GemmProblem& problem, const GemmRun& run) {
  const double peak = peak_tflops(machine, problem.dtype, run.hardware_pattern);
  if (!run.gathers) return peak;
  return peak * static_cast<double>(problem.k) /
         static_cast<double>(of_selected_columns(problem).k);
}

GemmReport simulate(const GemmOptions& options, MachineRunner& runner) {
  runner.set_fast_forward(options.fast_forward);
  GemmReport report;
  GemmRun run;
  if (options.functional) {
    const FunctionalRun functional = run_gemm_with_values(
        runner, options.problem, options.policy, options.method.launches, *options.functional);
    run = functional.run;
    report.functional = FunctionalOutcome{functional.check.elements, functional.check.mismatches,
                                          functional.check.first_mismatch};
  } else {
    run = run_gemm_sustained(runner, options.problem, options.policy, options.method.launches);
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
  KernelPolicy automatic = options.policy;
  if (automatic.kernel != "auto") {
    automatic = {"auto", options.policy.candidates, "", options.policy.sampled};
  }
  const GemmRun dense =
      run_gemm_sustained(runner, options.dense, automatic, options.method.launches);
  report.dense = dense.result;
  report.dense_search = dense.search;
  return report;
}

}  // namespace

GemmReport simulate_gemm(const GemmOptions& options, MachineRunner& runner) {
  GemmReport report = simulate(options, runner);
  const MachineConfig& machine = options.machine;
  report.problem = options.problem;
  report.machine = machine.name;
  report.stack = software_of(options);
  report.method = options.method;
  report.clock_mhz = machine.clock_mhz;
  report.power_limit_watts = machine.power.limit_watts;
  report.bound_by = bound_by(at_clock(machine, report.launch.clock_mhz), report.launch);
  report.dense_peak_tflops = peak_tflops(machine, options.dense.dtype, kDense);
  report.resolved_config = options.resolved_config;
  report.config_hash = options.config_hash;
  return report;
}

ExplainReport explain_gemm(const GemmOptions& options, std::int64_t jobs) {
  ExplainReport report;
  report.machine = options.machine.name;
  report.clock_mhz = options.machine.clock_mhz;
  report.stack = software_of(options);
  report.explanation =
      explain(options.machine,
              {options.problem, options.dense, options.policy, options.method.launches}, jobs);
  report.resolved_config = options.resolved_config;
  report.config_hash = options.config_hash;
  return report;
}

}  // namespace stcsim
