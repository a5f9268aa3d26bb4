#include "reports/validation/counter_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <list>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/io/csv_table.hpp"
#include "reports/evidence/table_fields.hpp"
#include "reports/validation/kernel_name.hpp"
#include "sim/config/kernel_space.hpp"
#include "sim/job/job_runner.hpp"
#include "sim/kernel/gemm_kernel.hpp"
#include "sim/kernel/sparsity_support.hpp"

namespace stcsim {
namespace {

constexpr double kSectorBytes = 32;

/// Of Nsight Compute, beside those that are compared.
const std::vector<std::string> kFurtherColumns{"watts",
                                               "sm_to_l2_bytes",
                                               "l2_bytes",
                                               "l2_read_sectors",
                                               "l2_write_sectors",
                                               "l2_sectors_from_sm_hit",
                                               "l2_fabric_sectors",
                                               "dram_write_bytes",
                                               "warp_instructions",
                                               "wgmma_instructions",
                                               "tensor_instructions",
                                               "shared_bank_reads",
                                               "shared_bank_writes",
                                               "ctas",
                                               "threads",
                                               "registers",
                                               "shared_bytes"};

std::optional<double> number_in(const TableFields& fields, std::string_view column) {
  return fields.given(column) == nullptr ? std::nullopt : fields.number(column);
}

/// Bytes of C, which counters of sectors hold beside what is read.
double stored_bytes(const GemmProblem& problem) {
  return static_cast<double>(problem.batch_count *
                             bytes_of(output_of(problem.dtype), problem.m * problem.n));
}

void read_counters(const TableFields& fields, MeasuredCounters& row) {
  LaunchCounters& counted = row.counted;
  counted.cycles = fields.number("sm_cycles");
  if (!counted.cycles) throw ConfigError(fields.at("sm_cycles").where, "sm_cycles is missing");
  counted.sm_bytes = number_in(fields, "l2_to_sm_bytes");
  counted.dram_bytes = number_in(fields, "dram_read_bytes");
  if (const auto sectors = number_in(fields, "l2_sectors_from_sm")) {
    counted.l2_bytes = *sectors * kSectorBytes - stored_bytes(row.problem);
  }
  if (const auto percent = number_in(fields, "tensor_active_percent")) {
    counted.busy = *percent / 100;
  }
  constexpr double kNsOfUs = 1e3;
  if (const auto ns = number_in(fields, "time_ns")) {
    row.clock_mhz = std::llround(*counted.cycles / *ns * kNsOfUs);
  }
  counted.row_us = number_in(fields, "row_us");
  if (counted.row_us) counted.row_mhz = *counted.cycles / *counted.row_us;
  if (fields.given("clock_mhz") != nullptr) row.clock_mhz = fields.count("clock_mhz");
}

MeasuredCounters read_counter_row(const TableFields& fields) {
  MeasuredCounters row;
  read_product(fields, row);
  row.kernel = fields.text_or_nothing("kernel");
  if (const auto ctas = number_in(fields, "cluster")) row.cluster = std::llround(*ctas);
  read_counters(fields, row);
  if (fields.given("part") != nullptr && fields.number("part", 0, 1e6) > 0) {
    row.unusable = "a further launch of the same call";
  }
  return row;
}

/// What the SMs get: whole tiles, those that fill up the last cluster too.
double received_bytes(const KernelLaunch& launch) {
  const auto whole = [](std::int64_t tiles, std::int64_t cluster) {
    return ceil_div(tiles, cluster) * cluster;
  };
  const std::int64_t tiles = whole(launch.tiles_m, launch.ctas_per_read(Operand::b)) *
                             whole(launch.tiles_n, launch.ctas_per_read(Operand::a));
  return static_cast<double>(tiles * launch.batch_count * launch.k_steps * launch.stage_bytes());
}

/// The launch of the kernel that a job ran; nothing if it ran with none of the machine's.
std::optional<KernelLaunch> launch_of(const MachineConfig& machine, const GemmProblem& problem,
                                      const KernelReport& report) {
  const auto find = [&](const KernelConfig& one) { return one.name == report.name; };
  std::vector<KernelConfig> kernels = all_kernels(machine);
  for (const LibraryConfig& library : machine.libraries) {
    for (const LibraryKernel& one : library.kernels) kernels.push_back(one.kernel);
  }
  const auto config = std::ranges::find_if(kernels, find);
  if (config == kernels.end()) return std::nullopt;
  const Pattern hardware = sparsity_support(machine, problem.dtype, problem.a_pattern).hardware();
  std::string why_not;
  const auto fitted = fit_kernel(machine, *config, problem.dtype, hardware, why_not);
  if (!fitted) return std::nullopt;
  return gemm_launch(machine, *fitted, problem, report.split_k);
}

SimulatedCounters counters_of(const MachineConfig& machine, const GemmProblem& problem,
                              const LaunchResult& result) {
  SimulatedCounters simulated;
  LaunchCounters& counted = simulated.counted;
  counted.cycles = static_cast<double>(result.cycles);
  counted.l2_bytes = static_cast<double>(result.count("l2_read_bytes"));
  counted.dram_bytes = static_cast<double>(result.count("dram_read_bytes"));
  counted.busy =
      static_cast<double>(result.multiplier_macs) / static_cast<double>(result.peak_macs);
  if (const auto launch = launch_of(machine, problem, result.kernel)) {
    counted.sm_bytes = received_bytes(*launch);
  }
  simulated.kernel = result.kernel;
  return simulated;
}

double roofline_cycles(const MeasuredCounters& measured, const MachineConfig& machine) {
  const double mhz =
      measured.clock_mhz ? static_cast<double>(*measured.clock_mhz) : machine.clock_mhz;
  return roofline_us(measured.problem, at_clock(machine, mhz)) * mhz;
}

/// The launches that rows need, as jobs.
class CounterJobs {
 public:
  void add(std::vector<CounterRow>& rows, const MachineConfig& machine) {
    CounterRow& row = rows.back();
    const MeasuredCounters& measured = row.measured;
    KernelPolicy policy;
    policy.stack = measured.stack;
    add_one({rows.size() - 1, &CounterRow::chosen}, measured, machine, measured.problem, policy);
    auto name = kernel_name(measured.kernel);
    if (!name) {
      row.no_kernel = measured.kernel.empty() ? "the table names no kernel"
                                              : "the kernel's name does not say its tile";
      return;
    }
    if (measured.cluster && !name->cluster_m) name->cluster_m = *measured.cluster;
    auto run = run_of(*name, measured.problem, machine, measured.stack, row.no_kernel);
    if (!run) return;
    policy.kernel = run->kernel;
    runs_.push_back(std::move(*run));
    const NamedKernelRun& kept = runs_.back();
    add_one({rows.size() - 1, &CounterRow::as_measured}, measured, kept.machine, kept.problem,
            policy);
  }

  void run(std::vector<CounterRow>& rows, const ValidationOptions& options) {
    const auto answers =
        answers_to(jobs_, {options.jobs, options.fast_forward}, [&](std::size_t done) {
          if (options.progress) options.progress(rows.size() * done / jobs_.size());
        });
    for (std::size_t at = 0; at < jobs_.size(); ++at) {
      const Job& job = jobs_[at];
      const LaunchResult& result = answers[at]->result;
      SimulatedCounters& simulated = rows[wanted_[at].row].*wanted_[at].kernel;
      if (wanted_[at].is_in_a_row) {
        simulated.counted.row_mhz = result.clock_mhz;
        simulated.counted.row_us = result.time_us();
      } else {
        simulated =
            counters_of(*job.machine->as_built, std::get<GemmWork>(job.work).problem, result);
      }
    }
  }

 private:
  struct Wanted {
    std::size_t row = 0;
    SimulatedCounters CounterRow::*kernel = nullptr;
    bool is_in_a_row = false;
  };

  /// One launch, and after it many in a row where the row has their time.
  void add_one(Wanted wanted, const MeasuredCounters& measured, const MachineConfig& machine,
               const GemmProblem& problem, const KernelPolicy& policy) {
    Job job{&machines_.of(machine), GemmWork{problem}, policy};
    if (measured.clock_mhz) {
      job.conditions.emplace().locked_clock_mhz = static_cast<double>(*measured.clock_mhz);
    }
    jobs_.push_back(job);
    wanted_.push_back(wanted);
    if (!measured.counted.row_us) return;
    job.conditions.emplace().same_operands = true;
    jobs_.push_back(job);
    wanted.is_in_a_row = true;
    wanted_.push_back(wanted);
  }

  JobMachines machines_;
  std::list<NamedKernelRun> runs_;
  std::vector<Job> jobs_;
  std::vector<Wanted> wanted_;
};

}  // namespace

std::string SimulatedCounters::kernel_text() const {
  if (kernel.tile_m == 0) return "";
  const std::string tile = fmt::format("{}_s{}", kernel.tile(), kernel.stages);
  return kernel.split_k > 1 ? fmt::format("{} in {} slices", tile, kernel.split_k) : tile;
}

CounterGroup group_of(const CounterRow& row) {
  const MeasuredCounters& measured = row.measured;
  const auto name = kernel_name(measured.kernel);
  return {row.machine, std::string(to_string(measured.problem.dtype)), measured.pattern,
          *measured.counted.cycles >= kLongCycles, name && name->segments_k};
}

std::vector<MeasuredCounters> read_measured_counters(const std::filesystem::path& path,
                                                     std::vector<ConfigError>* bad_rows) {
  const CsvTable table = CsvTable::read(path, bad_rows);
  std::vector<std::string> optional{"source",
                                    "layout",
                                    "note",
                                    "stack",
                                    "use",
                                    "kernel",
                                    "cluster",
                                    "part",
                                    "time_ns",
                                    "clock_mhz",
                                    "l2_to_sm_bytes",
                                    "l2_sectors_from_sm",
                                    "dram_read_bytes",
                                    "tensor_active_percent",
                                    "row_us"};
  optional.insert(optional.end(), kFurtherColumns.begin(), kFurtherColumns.end());
  table.check_columns({"gpu", "dtype", "M", "N", "K", "pattern", "sm_cycles"}, optional);
  return read_rows(table, bad_rows, &read_counter_row);
}

std::vector<CounterRow> validate_counters(const std::vector<MeasuredCounters>& counters,
                                          const std::map<std::string, MachineConfig>& machines,
                                          const ValidationOptions& options) {
  CounterJobs jobs;
  std::vector<CounterRow> rows;
  for (const MeasuredCounters& measured : counters) {
    const auto found = machines.find(measured.gpu);
    const MachineConfig* const machine = found == machines.end() ? nullptr : &found->second;
    CounterRow& row = rows.emplace_back();
    row.measured = measured;
    row.skipped = why_not_simulated(measured, machine);
    if (machine != nullptr) row.machine = machine->name;
    if (!row.skipped.empty()) continue;
    row.roofline_cycles = roofline_cycles(measured, *machine);
    jobs.add(rows, *machine);
  }
  jobs.run(rows, options);
  return rows;
}

}  // namespace stcsim
