#include "reports/validation/gemm_run.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/suggestion.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/library.hpp"
#include "sim/kernel/sparsity_support.hpp"
#include "sim/run/bound_by.hpp"
#include "sim/run/gemm_kernels.hpp"
#include "sim/run/gemm_run.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {
namespace {

KernelPolicy policy_of(const MeasuredGemm& gemm) {
  KernelPolicy policy;
  policy.stack = gemm.stack;
  return policy;
}

std::string reason_to_skip(const MeasuredGemm& gemm, const MachineConfig* machine) {
  std::string reason = why_not_simulated(gemm, machine);
  if (!reason.empty()) return reason;
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
  if (gemm.clock_mhz) add("--clock", *gemm.clock_mhz);
  return call;
}

/// The part of a row that a job is simulated for: its dense or its sparse time.
struct Wanted {
  std::size_t row = 0;
  std::optional<double> GemmTimes::*time = nullptr;
  SimulatedKernel ValidationRow::*kernel = nullptr;
};

void keep(ValidationRow& row, const Job& job, const LaunchResult& result,
          const TimingMethod& method, const Wanted& wanted) {
  const MachineConfig& as_built = *job.machine->as_built;
  const MachineConfig machine =
      at_clock(as_built, job.conditions->locked_clock_mhz.value_or(as_built.clock_mhz));
  const GemmProblem& problem = std::get<GemmWork>(job.work).problem;
  row.simulated.*wanted.time = method.time_us(result.time_us());
  row.roofline.*wanted.time = roofline_us(problem, machine);
  row.tiles.*wanted.time = tile_model_us(problem, machine);
  row.*wanted.kernel = {result.kernel.name, bound_by(at_clock(as_built, result.clock_mhz), result),
                        unit_waits(result.units)};
}

void find_speedups(ValidationRow& row) {
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

/// The GEMMs that rows need, as jobs.
class RowJobs {
 public:
  /// @param number  of the row
  void add(const ValidationRow& row, std::size_t number, const MachineConfig& machine,
           const TimingMethod& method) {
    LaunchConditions conditions = method.launches;
    if (row.gemm.clock_mhz) conditions.locked_clock_mhz = static_cast<double>(*row.gemm.clock_mhz);
    const auto add_one = [&](const GemmProblem& problem, const Wanted& wanted) {
      jobs_.push_back({&machines_.of(machine), GemmWork{problem}, policy_of(row.gemm), conditions});
      wanted_.push_back(wanted);
    };
    const GemmProblem& problem = row.gemm.problem;
    if (needs_sparse(row.gemm)) {
      add_one(problem, {number, &GemmTimes::sparse_us, &ValidationRow::sparse_kernel});
    }
    if (needs_dense(row.gemm)) {
      add_one(dense_of(problem), {number, &GemmTimes::dense_us, &ValidationRow::dense_kernel});
    }
  }

  void run(std::vector<ValidationRow>& rows, const ValidationOptions& options) const {
    const auto answers =
        answers_to(jobs_, {options.jobs, options.fast_forward}, [&](std::size_t done) {
          if (options.progress) options.progress(rows.size() * done / jobs_.size());
        });
    for (std::size_t at = 0; at < jobs_.size(); ++at) {
      ValidationRow& row = rows[wanted_[at].row];
      keep(row, jobs_[at], answers[at]->result, method_of(row, options), wanted_[at]);
    }
  }

 private:
  JobMachines machines_;
  std::vector<Job> jobs_;
  std::vector<Wanted> wanted_;
};

void check_timing(const MeasuredGemm& gemm, const std::map<std::string, TimingMethod>& timings) {
  if (timings.count(gemm.timing) != 0) return;
  std::vector<std::string> names;
  for (const auto& [name, method] : timings) names.push_back(name);
  throw ConfigError(gemm.where, fmt::format("timing is '{}', must be empty or one of {}",
                                            gemm.timing, fmt::join(names, ", ")));
}

constexpr double kWorthNaming = 0.1;

/// Nothing but these: the unit had hardly a part in the launch.
bool means_nothing_to_do(const std::string& bucket) {
  return bucket == "idle" || bucket == "starved";
}

std::string waits_of(const UnitReport& unit) {
  std::int64_t total = 0;
  for (const auto& [bucket, cycles] : unit.buckets) total += cycles;
  std::vector<std::pair<std::string, std::int64_t>> buckets;
  bool worked = false;
  for (const auto& [bucket, cycles] : unit.buckets) {
    if (static_cast<double>(cycles) < kWorthNaming * static_cast<double>(total)) continue;
    worked = worked || !means_nothing_to_do(bucket);
    buckets.emplace_back(bucket, cycles);
  }
  if (!worked) return "";
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> shares;
  for (const auto& [bucket, cycles] : buckets) {
    shares.push_back(fmt::format("{} {:.0f} %", bucket,
                                 100.0 * static_cast<double>(cycles) / static_cast<double>(total)));
  }
  return fmt::format("{} {}", unit.unit, fmt::join(shares, ", "));
}

Pattern hardware_of(const GemmProblem& problem, const MachineConfig& machine) {
  return sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
}

/// The selected columns only, of V:2:m; the windows of (2N-2):2N.
GemmProblem multiplied(const GemmProblem& problem, const MachineConfig& machine) {
  return problem.a_pattern.selects_columns() ? of_selected_columns(problem)
                                             : in_windows(machine, problem);
}

double multiplying_us(double macs, const GemmProblem& problem, const MachineConfig& machine) {
  return 2.0 * macs / peak_tflops(machine, problem.dtype, hardware_of(problem, machine)) / 1e6;
}

double moving_us(const GemmProblem& problem, const MachineConfig& machine) {
  const Pattern hardware = hardware_of(problem, machine);
  const auto row = static_cast<double>(bytes_of(problem.dtype, problem.k));
  const auto output = static_cast<double>(bytes_of(problem.dtype, problem.m * problem.n));
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const double kept =
      hardware.is_dense() ? 1.0 : static_cast<double>(hardware.n) / static_cast<double>(hardware.m);
  const double moved =
      static_cast<double>(problem.batch_count) * (m * row * kept + n * row + output);
  return moved / static_cast<double>(machine.accelerator.dram.bytes_per_clk) / machine.clock_mhz;
}

std::int64_t tiles_along(std::int64_t size) {
  return (size + kPlainTile - 1) / kPlainTile;
}

}  // namespace

std::vector<ValidationRow> validate_gemms(const std::vector<MeasuredGemm>& gemms,
                                          const std::map<std::string, MachineConfig>& machines,
                                          const ValidationOptions& options) {
  RowJobs jobs;
  std::vector<ValidationRow> rows;
  for (const MeasuredGemm& gemm : gemms) {
    const auto found = machines.find(gemm.gpu);
    const MachineConfig* machine = found == machines.end() ? nullptr : &found->second;
    const ValidationRow& row = rows.emplace_back(row_of(gemm, machine));
    if (row.skipped.empty()) jobs.add(row, rows.size() - 1, *machine, method_of(row, options));
  }
  jobs.run(rows, options);
  for (ValidationRow& row : rows) find_speedups(row);
  return rows;
}

void check_stack(const std::string& stack, const SourceLocation& where,
                 const MachineConfig& machine) {
  const std::vector<std::string> names = machine.stack_names();
  if (stack.empty() || std::find(names.begin(), names.end(), stack) != names.end()) return;
  throw ConfigError(
      where, fmt::format("stack is '{}', must be empty or one of {}: {}{}", stack, machine.name,
                         fmt::join(names, ", "), did_you_mean(stack, names)));
}

void check_names(const MeasuredGemm& gemm, const std::map<std::string, MachineConfig>& machines,
                 const std::map<std::string, TimingMethod>& timings) {
  check_timing(gemm, timings);
  const auto machine = machines.find(gemm.gpu);
  if (machine != machines.end()) check_stack(gemm.stack, gemm.where, machine->second);
}

std::string why_not_simulated(const MeasuredGemm& gemm, const MachineConfig* machine) {
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
  return "";
}

std::string unit_waits(const std::vector<UnitReport>& units) {
  std::vector<std::string> waits;
  for (const UnitReport& unit : units) {
    std::string of_unit = waits_of(unit);
    if (!of_unit.empty()) waits.push_back(std::move(of_unit));
  }
  return fmt::format("{}", fmt::join(waits, "; "));
}

double roofline_us(const GemmProblem& asked, const MachineConfig& machine) {
  const GemmProblem problem = multiplied(asked, machine);
  return std::max(multiplying_us(static_cast<double>(problem.macs()), problem, machine),
                  moving_us(problem, machine));
}

double tile_model_us(const GemmProblem& asked, const MachineConfig& machine) {
  const GemmProblem problem = multiplied(asked, machine);
  const std::int64_t sms = machine.accelerator.num_sms;
  const std::int64_t tiles = problem.batch_count * tiles_along(problem.m) * tiles_along(problem.n);
  const std::int64_t waves = (tiles + sms - 1) / sms;
  const auto macs =
      static_cast<double>(waves * sms * kPlainTile * kPlainTile) * static_cast<double>(problem.k);
  return std::max(multiplying_us(macs, problem, machine), moving_us(problem, machine));
}

}  // namespace stcsim
