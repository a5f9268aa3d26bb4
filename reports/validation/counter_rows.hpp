#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/gemm.hpp"
#include "common/io/table.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "reports/validation/gemm_run.hpp"
#include "sim/config/machine.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// What a GPU's counters say of one launch, or what the simulator counts; nothing where it is not
/// known.
struct LaunchCounters {
  /// Of the SMs, launch included.
  std::optional<double> cycles;
  /// From the L2 cache to SMs. A byte that a cluster shares counts once for each SM that gets it;
  /// rows and columns beyond the matrices' edges count as the others do.
  std::optional<double> sm_bytes;
  /// What SMs ask the L2 cache for: a byte that a cluster shares counts once.
  std::optional<double> l2_bytes;
  std::optional<double> dram_bytes;
  /// Share of the cycles in which tensor cores multiply.
  std::optional<double> busy;
  /// The mean clock of launches in a row that have the same operands, MHz, and the time of each.
  std::optional<double> row_mhz;
  std::optional<double> row_us;
};

struct CounterFigure {
  const char* key;
  const char* title;
  std::optional<double> LaunchCounters::*value;
};
inline constexpr std::array<CounterFigure, 7> kCounterFigures{
    {{"cycles", "cycles", &LaunchCounters::cycles},
     {"sm_bytes", "to SMs", &LaunchCounters::sm_bytes},
     {"l2_bytes", "from L2", &LaunchCounters::l2_bytes},
     {"dram_bytes", "from DRAM", &LaunchCounters::dram_bytes},
     {"busy", "busy", &LaunchCounters::busy},
     {"row_mhz", "clock in a row", &LaunchCounters::row_mhz},
     {"row_us", "time in a row", &LaunchCounters::row_us}}};

/// Kernels of fewer cycles are scored apart, those of fewer than the least not at all.
inline constexpr double kLongCycles = 35'000;
inline constexpr double kLeastCycles = 10'000;

/// A launch that somebody counted; its `clock_mhz` is the one it ran at.
struct MeasuredCounters : MeasuredGemm {
  LaunchCounters counted;
  /// The kernel's name; "" where it is not known.
  std::string kernel;
  /// CTAs of a cluster.
  std::optional<std::int64_t> cluster;
};

/// A simulated launch and its kernel.
struct SimulatedCounters {
  LaunchCounters counted;
  KernelReport kernel;

  /// "128x256x64_s4 in 2 slices"; "" where nothing was simulated.
  [[nodiscard]] std::string kernel_text() const;
};

/// A counted launch beside what is simulated: with the kernel that ran, and with the one that the
/// simulator takes by itself, so that choice and simulation are judged apart.
struct CounterRow {
  MeasuredCounters measured;
  std::string machine;
  SimulatedCounters as_measured;
  SimulatedCounters chosen;
  /// Of a roofline (roofline_us()) at the launch's clock.
  double roofline_cycles = 0;
  /// Why there is no `as_measured`; "" if there is.
  std::string no_kernel;
  /// Why it was not simulated at all; "" if it was.
  std::string skipped;
};

/// Rows that are scored together: kernels of as many cycles, of a machine, type and pattern.
struct CounterGroup {
  std::string machine;
  std::string dtype;
  std::string pattern;
  bool is_long = true;
  bool segments_k = false;

  friend auto operator<=>(const CounterGroup&, const CounterGroup&) = default;
};

[[nodiscard]] CounterGroup group_of(const CounterRow& row);

/// Reads a table of counters, a launch a row. Columns: those of a product (read_product()),
/// sm_cycles; kernel, cluster, time_ns, clock_mhz, part, l2_to_sm_bytes, l2_sectors_from_sm (32
/// bytes each, stores of C among them, which are taken off), dram_read_bytes,
/// tensor_active_percent and row_us (of one of many launches in a row, by the same kernel) may be
/// left out, and some more of Nsight Compute's are not compared. Without clock_mhz the clock is
/// sm_cycles / time_ns; that in a row is sm_cycles / row_us. Rows with a part above 0 are further
/// launches of a call, not compared.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredCounters> read_measured_counters(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

/// Simulates every row that can be, in worker processes: one launch, caches empty, at the row's
/// clock; with row_us also many in a row, at the clock that the board's power allows.
/// @param machines  by the name of the GPU in the table; a GPU that is not there is skipped
[[nodiscard]] std::vector<CounterRow> validate_counters(
    const std::vector<MeasuredCounters>& counters,
    const std::map<std::string, MachineConfig>& machines, const ValidationOptions& options);

/// Errors of each counter by itself, of kernels of 35,000 cycles and more and of shorter ones: of
/// each machine, type and pattern, with the kernels that ran and with those that were chosen.
/// cuSPARSELt's kernels that segment k stand apart.
[[nodiscard]] Table counter_table(const std::vector<CounterRow>& rows);

/// The same of all scored rows as cells of results/validation_errors.csv: the quantity is a
/// figure's key, after "own " that of the kernels chosen; the regime is the pattern and "short" or
/// "k cut".
[[nodiscard]] std::vector<ErrorCell> counter_cells(const std::vector<CounterRow>& rows);

/// How far cycles and clocks are off with the kernels that ran, in sentences: dense and sparse
/// launches of 35,000 cycles and more, of all machines and types.
[[nodiscard]] std::string counter_summary(const std::vector<CounterRow>& rows);

/// Every row: counted cycles, and the errors of those simulated with both kernels.
[[nodiscard]] Table counter_rows_table(const std::vector<CounterRow>& rows);

}  // namespace stcsim
