#include "reports/validation/gemm_validation.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "reports/validation/plain_models.hpp"
#include "reports/validation/unit_waits.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_run.hpp"

namespace stcsim {
namespace {

std::string reason_to_skip(const MeasuredGemm& gemm, const MachineConfig* machine) {
  if (!gemm.unusable.empty()) return gemm.unusable;
  if (machine == nullptr) return "no machine for GPU '" + gemm.gpu + "'";
  const GemmProblem& problem = gemm.problem;
  if (!machine->supports(problem.dtype)) {
    return machine->name + " does not multiply " + std::string(to_string(problem.dtype));
  }
  if (!problem.a_pattern.is_dense() &&
      sparsity_support(*machine, problem.dtype, problem.a_pattern).patterns.empty()) {
    return machine->name + " has no hardware for " + problem.a_pattern.to_string();
  }
  const GemmTimes& measured = gemm.measured;
  const bool has_any = measured.dense_us || measured.sparse_us || measured.speedup;
  return has_any ? "" : "nothing was measured";
}

std::string call_of(const MeasuredGemm& gemm, const GemmProblem& problem,
                    const MachineConfig& machine) {
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

/// One call says both times, unless the sparse GEMM has fewer columns.
std::string command_of(const MeasuredGemm& gemm, const MachineConfig& machine) {
  const std::string call = call_of(gemm, sparse_problem(gemm), machine);
  if (!gemm.blocks || !(gemm.measured.dense_us || gemm.measured.speedup)) return call;
  return call_of(gemm, dense_problem(gemm), machine) + " && " + call;
}

/// Runs GEMMs on one machine, equal ones once.
class CachingRunner {
 public:
  CachingRunner(const MachineConfig& machine, bool fast_forward) : runner_(machine) {
    runner_.set_fast_forward(fast_forward);
  }
  const LaunchResult& run(const GemmProblem& problem, const KernelPolicy& policy) {
    const std::pair key(problem, policy);
    auto known = results_.find(key);
    if (known == results_.end()) {
      known = results_.emplace(key, run_gemm(runner_, problem, policy).result).first;
    }
    return known->second;
  }
  [[nodiscard]] const MachineConfig& machine() const { return runner_.machine(); }

 private:
  MachineRunner runner_;
  std::map<std::pair<GemmProblem, KernelPolicy>, LaunchResult> results_;
};

double microseconds(const LaunchResult& result, const MachineConfig& machine) {
  return static_cast<double>(result.cycles) / machine.clock_mhz;
}

/// What is predicted for one GEMM.
struct Prediction {
  double simulated_us = 0;
  double roofline_us = 0;
  double tiles_us = 0;
  SimulatedKernel kernel;
  std::int64_t tile_rows = 0;
};

Prediction predict(CachingRunner& runner, const GemmProblem& problem, const std::string& stack,
                   double overhead_us) {
  KernelPolicy policy;
  policy.stack = stack;
  const MachineConfig& machine = runner.machine();
  const LaunchResult& result = runner.run(problem, policy);
  return {microseconds(result, machine) + overhead_us,
          roofline_us(problem, machine),
          tile_model_us(problem, machine),
          {result.kernel.name, bound_by(machine, result), unit_waits(result.units)},
          result.kernel.tile_m};
}

/// Writes what is predicted for the dense or the sparse time.
void keep(ValidationRow& row, const Prediction& prediction, std::optional<double> GemmTimes::*time,
          SimulatedKernel ValidationRow::*kernel) {
  row.simulated.*time = prediction.simulated_us;
  row.roofline.*time = prediction.roofline_us;
  row.tiles.*time = prediction.tiles_us;
  row.*kernel = prediction.kernel;
}

void simulate(CachingRunner& runner, double overhead_us, ValidationRow& row) {
  const MeasuredGemm& gemm = row.gemm;
  const GemmTimes& measured = gemm.measured;
  if (!gemm.problem.a_pattern.is_dense() && (measured.sparse_us || measured.speedup)) {
    const Prediction sparse = predict(runner, sparse_problem(gemm), gemm.stack, overhead_us);
    if (gemm.blocks && sparse.tile_rows > gemm.blocks->rows) {
      row.command.clear();
      row.skipped = fmt::format("{}'s tiles have more than the {} rows that share their columns",
                                sparse.kernel.name, gemm.blocks->rows);
      return;
    }
    keep(row, sparse, &GemmTimes::sparse_us, &ValidationRow::sparse_kernel);
  }
  if (measured.dense_us || measured.speedup) {
    keep(row, predict(runner, dense_problem(gemm), gemm.stack, overhead_us), &GemmTimes::dense_us,
         &ValidationRow::dense_kernel);
  }
  for (GemmTimes ValidationRow::*times :
       {&ValidationRow::simulated, &ValidationRow::roofline, &ValidationRow::tiles}) {
    GemmTimes& of = row.*times;
    if (of.dense_us && of.sparse_us) of.speedup = *of.dense_us / *of.sparse_us;
  }
}

}  // namespace

std::vector<ValidationRow> validate_gemms(const std::vector<MeasuredGemm>& gemms,
                                          const std::map<std::string, MachineConfig>& machines,
                                          const ValidationOptions& options) {
  // All machines are built before one of them runs.
  std::map<std::string, std::unique_ptr<CachingRunner>> runners;
  std::vector<ValidationRow> rows;
  for (const MeasuredGemm& gemm : gemms) {
    const auto found = machines.find(gemm.gpu);
    const MachineConfig* machine = found == machines.end() ? nullptr : &found->second;
    ValidationRow row;
    row.gemm = gemm;
    row.skipped = reason_to_skip(gemm, machine);
    if (machine != nullptr) {
      row.machine = machine->name;
      row.gemm.stack = stack_named(*machine, gemm.stack).name;
    }
    if (row.skipped.empty()) row.command = command_of(row.gemm, *machine);
    if (row.skipped.empty() && runners.count(machine->name) == 0) {
      runners[machine->name] = std::make_unique<CachingRunner>(*machine, options.fast_forward);
    }
    rows.push_back(std::move(row));
  }
  std::size_t done = 0;
  for (ValidationRow& row : rows) {
    if (row.skipped.empty()) {
      const auto overhead = options.timing_overhead_us.find(row.gemm.timing);
      const bool is_known = overhead != options.timing_overhead_us.end();
      simulate(*runners.at(row.machine), is_known ? overhead->second : 0, row);
    }
    ++done;
    if (options.progress) options.progress(done);
  }
  return rows;
}

}  // namespace stcsim
