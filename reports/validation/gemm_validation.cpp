#include "reports/validation/gemm_validation.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "reports/validation/library_names.hpp"
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

/// Dense GEMMs are cuBLAS' where the machine knows it; sparse ones those of the library that the
/// row names, or the machine's own.
KernelPolicy policy_of(const MeasuredGemm& gemm, const MachineConfig& machine) {
  KernelPolicy policy;
  policy.library = library_if_known("cublas", machine, false);
  policy.sparse_library = library_in(gemm.note, machine, true);
  policy.is_sparse_kept = true;
  return policy;
}

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

void simulate(CachingRunner& runner, double overhead_us, ValidationRow& row) {
  const GemmTimes& measured = row.gemm.measured;
  const MachineConfig& machine = runner.machine();
  const GemmProblem& problem = row.gemm.problem;
  const KernelPolicy policy = policy_of(row.gemm, machine);
  if (measured.dense_us || measured.speedup) {
    GemmProblem dense = problem;
    dense.a_pattern = kDense;
    const LaunchResult& result = runner.run(dense, policy);
    row.simulated.dense_us = microseconds(result, machine) + overhead_us;
    row.roofline.dense_us = roofline_us(dense, machine);
    row.dense_kernel = result.kernel.name;
  }
  if (!problem.a_pattern.is_dense() && (measured.sparse_us || measured.speedup)) {
    const LaunchResult& result = runner.run(problem, policy);
    row.simulated.sparse_us = microseconds(result, machine) + overhead_us;
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
    if (machine != nullptr) row.machine = machine->name;
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
