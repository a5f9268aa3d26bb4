#include "reports/validation/gemm_validation.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/validation/gemm_points.hpp"
#include "reports/validation/plain_models.hpp"
#include "reports/validation/unit_waits.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {
namespace {

KernelPolicy policy_of(const MeasuredGemm& gemm) {
  KernelPolicy policy;
  policy.stack = gemm.stack;
  return policy;
}

std::string reason_to_skip(const MeasuredGemm& gemm, const MachineConfig* machine) {
  if (!gemm.unusable.empty()) return gemm.unusable;
  if (machine == nullptr) return "no machine for GPU '" + gemm.gpu + "'";
  const GemmProblem& problem = gemm.problem;
  if (!machine->supports(problem.dtype)) {
    return machine->name + " does not multiply " + std::string(to_string(problem.dtype));
  }
  const SparsitySupport support = sparsity_support(*machine, problem, policy_of(gemm));
  if (problem.a_pattern.selects_columns() && !support.reason.empty()) return support.reason;
  if (!problem.a_pattern.is_dense() && support.patterns.empty()) {
    return machine->name + " has no hardware for " + problem.a_pattern.to_string();
  }
  const GemmTimes& measured = gemm.measured;
  const bool has_any = measured.dense_us || measured.sparse_us || measured.speedup;
  return has_any ? "" : "nothing was measured";
}

bool needs_dense(const MeasuredGemm& gemm) {
  return gemm.measured.dense_us || gemm.measured.speedup;
}

bool needs_sparse(const MeasuredGemm& gemm) {
  const bool is_measured = gemm.measured.sparse_us || gemm.measured.speedup;
  return is_measured && !gemm.problem.a_pattern.is_dense();
}

/// One call says both times.
std::string command_of(const MeasuredGemm& gemm, const MachineConfig& machine) {
  const GemmProblem& problem = gemm.problem;
  std::string call =
      fmt::format("stcsim gemm --arch {} --m {} --n {} --k {} --dtype {}", machine.name, problem.m,
                  problem.n, problem.k, to_string(problem.dtype));
  const auto add = [&](const char* option, const auto& value) {
    call += fmt::format(" {} {}", option, value);
  };
  if (problem.batch_count > 1) add("--batch-count", problem.batch_count);
  if (!problem.a_pattern.is_dense()) add("--sparsity", problem.a_pattern.to_string());
  if (problem.b_layout == OperandLayout::mn_major) add("--layout", "tt");
  add("--stack", gemm.stack);
  add("--method", gemm.timing);
  return call;
}

GemmProblem dense_problem(const MeasuredGemm& gemm) {
  GemmProblem problem = gemm.problem;
  problem.a_pattern = kDense;
  return problem;
}

GemmPoint point_of(const ValidationRow& row, const GemmProblem& problem,
                   const TimingMethod& method) {
  return {row.machine, problem, policy_of(row.gemm), method.launches};
}

/// What is simulated, and what it took.
struct Simulated {
  const std::map<std::string, const MachineConfig*>& machines;
  const std::map<GemmPoint, LaunchResult>& results;
};

/// What is predicted for one GEMM.
struct Prediction {
  double simulated_us = 0;
  double roofline_us = 0;
  double tiles_us = 0;
  SimulatedKernel kernel;
};

Prediction predict(const Simulated& simulated, const ValidationRow& row, const GemmProblem& problem,
                   const TimingMethod& method) {
  const MachineConfig& machine = *simulated.machines.at(row.machine);
  const LaunchResult& result = simulated.results.at(point_of(row, problem, method));
  return {result.time_us() + method.overhead_us,
          roofline_us(problem, machine),
          tile_model_us(problem, machine),
          {result.kernel.name, bound_by(at_clock(machine, result.clock_mhz), result),
           unit_waits(result.units)}};
}

/// Writes what is predicted for the dense or the sparse time.
void keep(ValidationRow& row, const Prediction& prediction, std::optional<double> GemmTimes::*time,
          SimulatedKernel ValidationRow::*kernel) {
  row.simulated.*time = prediction.simulated_us;
  row.roofline.*time = prediction.roofline_us;
  row.tiles.*time = prediction.tiles_us;
  row.*kernel = prediction.kernel;
}

void predict_row(const Simulated& simulated, const TimingMethod& method, ValidationRow& row) {
  const MeasuredGemm& gemm = row.gemm;
  if (needs_sparse(gemm)) {
    keep(row, predict(simulated, row, gemm.problem, method), &GemmTimes::sparse_us,
         &ValidationRow::sparse_kernel);
  }
  if (needs_dense(gemm)) {
    keep(row, predict(simulated, row, dense_problem(gemm), method), &GemmTimes::dense_us,
         &ValidationRow::dense_kernel);
  }
  for (GemmTimes ValidationRow::*times :
       {&ValidationRow::simulated, &ValidationRow::roofline, &ValidationRow::tiles}) {
    GemmTimes& of = row.*times;
    if (of.dense_us && of.sparse_us) of.speedup = *of.dense_us / *of.sparse_us;
  }
}

/// The row, not yet simulated.
ValidationRow row_of(const MeasuredGemm& gemm, const MachineConfig* machine) {
  ValidationRow row;
  row.gemm = gemm;
  row.skipped = reason_to_skip(gemm, machine);
  if (machine == nullptr) return row;
  row.machine = machine->name;
  row.gemm.stack = stack_named(*machine, gemm.stack).name;
  if (row.skipped.empty()) row.command = command_of(row.gemm, *machine);
  return row;
}

TimingMethod method_of(const ValidationRow& row, const ValidationOptions& options) {
  const auto method = options.timing_methods.find(row.gemm.timing);
  return method != options.timing_methods.end() ? method->second : TimingMethod();
}

std::set<GemmPoint> points_of(const std::vector<ValidationRow>& rows,
                              const ValidationOptions& options) {
  std::set<GemmPoint> points;
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    const TimingMethod method = method_of(row, options);
    if (needs_sparse(row.gemm)) points.insert(point_of(row, row.gemm.problem, method));
    if (needs_dense(row.gemm)) points.insert(point_of(row, dense_problem(row.gemm), method));
  }
  return points;
}

}  // namespace

std::vector<ValidationRow> validate_gemms(const std::vector<MeasuredGemm>& gemms,
                                          const std::map<std::string, MachineConfig>& machines,
                                          const ValidationOptions& options) {
  std::map<std::string, const MachineConfig*> by_name;
  std::vector<ValidationRow> rows;
  for (const MeasuredGemm& gemm : gemms) {
    const auto found = machines.find(gemm.gpu);
    const MachineConfig* machine = found == machines.end() ? nullptr : &found->second;
    rows.push_back(row_of(gemm, machine));
    if (rows.back().skipped.empty()) by_name[machine->name] = machine;
  }
  const std::set<GemmPoint> points = points_of(rows, options);
  PointOptions running{options.jobs, options.fast_forward, {}};
  running.progress = [&](std::size_t done) {
    if (options.progress) options.progress(rows.size() * done / points.size());
  };
  const auto results = run_points(points, by_name, running);
  for (ValidationRow& row : rows) {
    if (row.skipped.empty()) predict_row({by_name, results}, method_of(row, options), row);
  }
  return rows;
}

}  // namespace stcsim
