#include "reports/validation/validation_run.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/yaml_reader.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/gemm_run.hpp"
#include "reports/validation/instruction_rows.hpp"
#include "reports/validation/instruction_run.hpp"
#include "reports/validation/measurement_setup.hpp"
#include "reports/validation/network_rows.hpp"
#include "reports/validation/stream_rows.hpp"
#include "reports/validation/system_rows.hpp"
#include "sim/config/config_readers.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

/// Some kinds have no use, and collectives no type; instructions and stream kernels
/// may name their machine themselves.
template <class Row>
bool passes(const Row& row, const RowFilter& filter, const MachineOfGpu& machine_of) {
  if constexpr (requires { row.use; }) {
    if (filter.use && row.use != *filter.use) return false;
  } else {
    if (filter.use) return false;
  }
  if constexpr (requires { row.problem; }) {
    if (filter.dtype && row.problem.dtype != *filter.dtype) return false;
  } else if constexpr (requires { row.dtype; }) {
    if (filter.dtype && row.dtype != *filter.dtype) return false;
  } else {
    if (filter.dtype) return false;
  }
  if (filter.machine.empty()) return true;
  if constexpr (requires { row.machine; }) {
    if (!row.machine.empty()) return row.machine == filter.machine;
  }
  const std::string* const machine = machine_of(row.gpu);
  return machine != nullptr && *machine == filter.machine;
}

template <class Row>
std::vector<Row> passing(const std::vector<Row>& rows, const RowFilter& filter,
                         const MachineOfGpu& machine_of) {
  std::vector<Row> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](const Row& row) { return passes(row, filter, machine_of); });
  return kept;
}

std::filesystem::path shipped(const char* name) {
  return config_directory() / "validation" / name;
}

/// Machines of GPUs, as far as there are any; each is loaded once.
class Machines {
 public:
  void add_gpu(const std::string& gpu) {
    const std::string* const machine = known_.machine_of(gpu);
    if (machine != nullptr && machines_.count(gpu) == 0) {
      machines_.emplace(gpu, load_machine(*machine).config);
    }
  }
  void add_named(const std::string& name, const SourceLocation& where) {
    if (machines_.count(name) != 0) return;
    const YamlNode node = load_by_name(ConfigKind::machine, name, where);
    MapReader map(node, "");
    machines_.emplace(name, read_machine(map));
  }
  [[nodiscard]] const std::map<std::string, MachineConfig>& all() const { return machines_; }

 private:
  GpuMachines known_{shipped("gpus.yaml")};
  std::map<std::string, MachineConfig> machines_;
};

Machines machines_for(MeasuredTables& tables) {
  Machines machines;
  for (const MeasuredGemm& row : tables.gemms) machines.add_gpu(row.gpu);
  for (const MeasuredNetwork& row : tables.networks) machines.add_gpu(row.gpu);
  for (const MeasuredCounters& row : tables.counters) machines.add_gpu(row.gpu);
  const auto add = [&](const auto& row) {
    if (row.machine.empty()) {
      machines.add_gpu(row.gpu);
    } else {
      machines.add_named(row.machine, row.where);
    }
  };
  keep_right(tables.instructions, tables.bad_rows, add);
  keep_right(tables.streams, tables.bad_rows, add);
  return machines;
}

/// The software of machines on which something ran that a library's kernels could be chosen for.
std::vector<MachineSoftware> software_of(const ValidationResults& results,
                                         const std::map<std::string, MachineConfig>& machines) {
  std::vector<MachineSoftware> software;
  const auto add = [&](const std::string& gpu, const std::string& skipped) {
    if (!skipped.empty()) return;
    const MachineConfig& machine = machines.at(gpu);
    MachineSoftware of_machine{machine.name, describe(stack_named(machine, ""))};
    if (std::find(software.begin(), software.end(), of_machine) == software.end()) {
      software.push_back(std::move(of_machine));
    }
  };
  for (const ValidationRow& row : results.gemms) add(row.gemm.gpu, row.skipped);
  for (const NetworkRow& row : results.networks) add(row.measured.gpu, row.skipped);
  return software;
}

void add_intervals(ValidationRow& row, const ValidatedErrors& errors) {
  if (!row.skipped.empty()) return;
  const GemmTimes& times = row.simulated;
  const GemmProblem& problem = row.gemm.problem;
  row.likely = gemm_intervals(errors.of(row.machine, problem.dtype, ""),
                              {problem.m, problem.n, times.sparse_us.value_or(0),
                               times.dense_us.value_or(0), times.sparse_us.has_value()});
}

/// What is said of the simulated values, as `gemm` says it.
void add_intervals(ValidationResults& results) {
  const auto tables = read_error_tables(shipped("errors.csv").parent_path());
  if (!tables) return;
  results.errors = *tables;
  const ValidatedErrors errors(*tables);
  for (ValidationRow& row : results.gemms) add_intervals(row, errors);
}

}  // namespace

MeasuredTables filter_rows(const MeasuredTables& tables, const RowFilter& filter,
                           const MachineOfGpu& machine_of) {
  MeasuredTables kept{passing(tables.gemms, filter, machine_of),
                      passing(tables.instructions, filter, machine_of),
                      passing(tables.networks, filter, machine_of),
                      passing(tables.streams, filter, machine_of),
                      passing(tables.systems, filter, machine_of),
                      passing(tables.counters, filter, machine_of),
                      tables.bad_rows};
  if (kept.rows() == 0) throw ConfigError("no row is left by --machine, --dtype and --use");
  return kept;
}

MeasuredTables read_table(const std::filesystem::path& path) {
  std::vector<ConfigError> malformed;
  const CsvTable table = CsvTable::read(path, &malformed);
  if (table.rows().empty() && !malformed.empty()) throw ConfigError(malformed.front());
  if (table.rows().empty()) {
    throw ConfigError({path.string()}, "the table has no rows, must have at least one measurement");
  }
  MeasuredTables tables;
  std::vector<ConfigError>* const bad_rows = &tables.bad_rows;
  if (table.find_column("instr")) {
    tables.instructions = read_measured_instructions(path, bad_rows);
  } else if (table.find_column("collective") || table.find_column("sharding")) {
    tables.systems = read_measured_systems(path, bad_rows);
  } else if (table.find_column("network")) {
    tables.networks = read_measured_networks(path, bad_rows);
  } else if (table.find_column("op")) {
    tables.streams = read_measured_streams(path, bad_rows);
  } else if (table.find_column("sm_cycles") || table.find_column("dram_read_bytes")) {
    tables.counters = read_measured_counters(path, bad_rows);
  } else {
    tables.gemms = read_measured_gemms(path, bad_rows);
  }
  return tables;
}

MeasuredTables shipped_tables() {
  MeasuredTables tables{read_measured_gemms(shipped("gemm.csv")),
                        read_measured_instructions(shipped("instructions.csv")),
                        read_measured_networks(shipped("networks.csv")),
                        read_measured_streams(shipped("stream.csv")),
                        read_measured_systems(shipped("systems.csv"))};
  for (MeasuredSystem& row : read_measured_systems(shipped("collectives.csv"))) {
    tables.systems.push_back(std::move(row));
  }
  tables.counters = read_measured_counters(shipped("counters.csv"));
  for (const char* const table : {"gemm_device.csv", "gemm_new_machines.csv", "gemm_h200.csv"}) {
    for (MeasuredGemm& gemm : read_measured_gemms(shipped(table))) {
      tables.gemms.push_back(std::move(gemm));
    }
  }
  return tables;
}

MeasuredTables filtered(const MeasuredTables& tables, const RowFilter& filter) {
  const GpuMachines machines(shipped("gpus.yaml"));
  return filter_rows(tables, filter,
                     [&](const std::string& gpu) { return machines.machine_of(gpu); });
}

ValidationResults run_validation(MeasuredTables tables, bool fast_forward, std::int64_t jobs,
                                 const ValidationProgress& progress) {
  const Machines machines = machines_for(tables);
  ValidationOptions options;
  options.fast_forward = fast_forward;
  options.jobs = jobs;
  options.timing_methods = read_timing_methods(shipped_timing_file());
  options.on_bad_row = [&](const ConfigError& error) { tables.bad_rows.push_back(error); };
  keep_right(tables.gemms, tables.bad_rows, [&](const MeasuredGemm& gemm) {
    check_names(gemm, machines.all(), options.timing_methods);
  });
  const std::size_t rows = tables.rows();
  std::size_t done_before = 0;
  options.progress = [&](std::size_t done) { progress(done_before + done, rows); };
  ValidationResults results;
  results.networks = validate_networks(tables.networks, machines.all(), options);
  done_before += tables.networks.size();
  results.instructions = validate_instructions(tables.instructions, machines.all(), options);
  done_before += tables.instructions.size();
  results.streams = validate_streams(tables.streams, machines.all(),
                                     load_framework(std::string(kDefaultFramework), {}), options);
  done_before += tables.streams.size();
  results.systems = validate_systems(tables.systems, options);
  done_before += tables.systems.size();
  results.counters = validate_counters(tables.counters, machines.all(), options);
  done_before += tables.counters.size();
  results.gemms = validate_gemms(tables.gemms, machines.all(), options);
  if (results.rows() == 0) throw ConfigError(tables.bad_rows.front());
  add_intervals(results);
  results.software = software_of(results, machines.all());
  results.set_by_counters = GpuMachines(shipped("gpus.yaml")).set_by_counters();
  results.bad_rows = std::move(tables.bad_rows);
  return results;
}

}  // namespace stcsim
