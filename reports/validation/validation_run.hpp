#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "reports/validation/counter_rows.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/instruction_rows.hpp"
#include "reports/validation/network_rows.hpp"
#include "reports/validation/stream_rows.hpp"
#include "reports/validation/system_rows.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Tables of measurements, by kind.
struct MeasuredTables {
  std::vector<MeasuredGemm> gemms;
  std::vector<MeasuredInstruction> instructions;
  std::vector<MeasuredNetwork> networks;
  std::vector<MeasuredStream> streams = {};
  std::vector<MeasuredSystem> systems = {};
  std::vector<MeasuredCounters> counters = {};
  /// Rows that were left out because they are wrong, each with its place and why.
  std::vector<ConfigError> bad_rows = {};

  /// Rows of all kinds.
  [[nodiscard]] std::size_t rows() const {
    return gemms.size() + instructions.size() + networks.size() + streams.size() + systems.size() +
           counters.size();
  }
};

/// The software whose kernels ran on a machine, described, where a row names no other.
struct MachineSoftware {
  std::string machine;
  std::string stack;

  friend bool operator==(const MachineSoftware&, const MachineSoftware&) = default;
};

/// Everything that was compared; the rows of a kind that no table had are missing.
struct ValidationResults {
  std::vector<ValidationRow> gemms;
  std::vector<InstructionRow> instructions;
  std::vector<NetworkRow> networks;
  std::vector<StreamRow> streams = {};
  std::vector<SystemRow> systems = {};
  std::vector<CounterRow> counters = {};
  /// By machine: numbers of its file that counted rows set (GpuMachines).
  std::map<std::string, std::vector<std::string>> set_by_counters = {};
  /// Software of the machines on which GEMMs or networks ran, in the order of their first row.
  std::vector<MachineSoftware> software = {};
  /// Rows that were left out because they are wrong, each with its place and why.
  std::vector<ConfigError> bad_rows = {};
  /// The errors that simulated values are said to have.
  ErrorTables errors = {};

  /// Rows of all kinds.
  [[nodiscard]] std::size_t rows() const {
    return gemms.size() + instructions.size() + networks.size() + streams.size() + systems.size() +
           counters.size();
  }
};

/// Which rows are run; what is empty leaves all of them.
struct RowFilter {
  /// Name of a machine; rows of GPUs that no machine stands for are left out too.
  std::string machine;
  std::optional<DataType> dtype;
  /// Only GEMMs and systems have a use: rows of the other kinds are left out.
  std::optional<RowUse> use;
};

/// Name of the machine that stands for a GPU, nullptr if there is none.
using MachineOfGpu = std::function<const std::string*(const std::string& gpu)>;

/// The rows that pass, in their order.
/// @throws ConfigError if none does
[[nodiscard]] MeasuredTables filter_rows(const MeasuredTables& tables, const RowFilter& filter,
                                         const MachineOfGpu& machine_of);

/// Reads a table of measurements. Its columns say what it is about: `instr` instructions,
/// `sharding` trainings on several GPUs, `network` networks, `op` kernels beside the products,
/// `collective` collectives, `sm_cycles` counters of launches, anything else GEMMs. Wrong rows are
/// left out and kept as such (bad_rows).
/// @throws ConfigError with file:line:column for a table without a row that is right
[[nodiscard]] MeasuredTables read_table(const std::filesystem::path& path);

/// The tables that come with the program.
[[nodiscard]] MeasuredTables shipped_tables();

/// The rows that `filter` leaves, by what stands for their GPUs in configs/validation/gpus.yaml.
/// @throws ConfigError if none is left
[[nodiscard]] MeasuredTables filtered(const MeasuredTables& tables, const RowFilter& filter);

/// Told of the rows that are done, of all.
using ValidationProgress = std::function<void(std::size_t done, std::size_t rows)>;

/// Simulates everything that can be, in so many worker processes. Rows that name a machine, a
/// stack, a way of timing or a network that is not there are wrong too.
/// @throws ConfigError for the first of them if no row is left
[[nodiscard]] ValidationResults run_validation(MeasuredTables tables, bool fast_forward,
                                               std::int64_t jobs,
                                               const ValidationProgress& progress);

}  // namespace stcsim
