#include "reports/validation/gemm_validation.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/suggestion.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
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

void require_stack(const MeasuredGemm& gemm, const MachineConfig& machine) {
  const std::vector<std::string> names = machine.stack_names();
  if (gemm.stack.empty() || std::find(names.begin(), names.end(), gemm.stack) != names.end()) {
    return;
  }
  throw ConfigError(gemm.where, fmt::format("stack is '{}', must be empty or one of {}: {}{}",
                                            gemm.stack, machine.name, fmt::join(names, ", "),
                                            did_you_mean(gemm.stack, names)));
}

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

/// Runs GEMMs on one machine, equal ones once.
class CachingRunner {
 public:
  CachingRunner(const MachineConfig& machine, bool fast_forward) : runner_(machine) {
    runner_.set_fast_forward(fast_forward);
  }
  const LaunchResult& run(const GemmProblem& problem, const KernelPolicy& policy,
                          const LaunchConditions& conditions) {
    const std::tuple key(problem, policy, conditions);
    auto known = results_.find(key);
    if (known == results_.end()) {
      GemmRun run = run_gemm_sustained(runner_, problem, policy, conditions);
      known = results_.emplace(key, std::move(run.result)).first;
    }
    return known->second;
  }
  [[nodiscard]] const MachineConfig& machine() const { return runner_.machine(); }

 private:
  MachineRunner runner_;
  std::map<std::tuple<GemmProblem, KernelPolicy, LaunchConditions>, LaunchResult> results_;
};

double roofline_us(const GemmProblem& problem, const MachineConfig& machine) {
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  const auto row = static_cast<double>(bytes_of(problem.dtype, problem.k));
  const auto output = static_cast<double>(bytes_of(problem.dtype, problem.m * problem.n));
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const double kept =
      hardware.is_dense() ? 1.0 : static_cast<double>(hardware.n) / static_cast<double>(hardware.m);
  const double moved =
      static_cast<double>(problem.batch_count) * (m * row * kept + n * row + output);
  const double flop = 2.0 * static_cast<double>(problem.macs());
  return std::max(
      flop / peak_tflops(machine, problem.dtype, hardware) / 1e6,
      moved / static_cast<double>(machine.accelerator.dram.bytes_per_clk) / machine.clock_mhz);
}

void simulate(CachingRunner& runner, const TimingMethod& method, ValidationRow& row) {
  const GemmTimes& measured = row.gemm.measured;
  const MachineConfig& machine = runner.machine();
  const GemmProblem& problem = row.gemm.problem;
  KernelPolicy policy;
  policy.stack = row.gemm.stack;
  if (measured.dense_us || measured.speedup) {
    GemmProblem dense = problem;
    dense.a_pattern = kDense;
    const LaunchResult& result = runner.run(dense, policy, method.launches);
    row.simulated.dense_us = result.time_us() + method.overhead_us;
    row.roofline.dense_us = roofline_us(dense, machine);
    row.dense_kernel = result.kernel.name;
  }
  if (!problem.a_pattern.is_dense() && (measured.sparse_us || measured.speedup)) {
    const LaunchResult& result = runner.run(problem, policy, method.launches);
    row.simulated.sparse_us = result.time_us() + method.overhead_us;
    row.roofline.sparse_us = roofline_us(problem, machine);
    row.sparse_kernel = result.kernel.name;
  }
  if (row.simulated.dense_us && row.simulated.sparse_us) {
    row.simulated.speedup = *row.simulated.dense_us / *row.simulated.sparse_us;
    row.roofline.speedup = *row.roofline.dense_us / *row.roofline.sparse_us;
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
      require_stack(gemm, *machine);
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
      const auto method = options.timing_methods.find(row.gemm.timing);
      const bool is_known = method != options.timing_methods.end();
      simulate(*runners.at(row.machine), is_known ? method->second : TimingMethod(), row);
    }
    ++done;
    if (options.progress) options.progress(done);
  }
  return rows;
}

}  // namespace stcsim
