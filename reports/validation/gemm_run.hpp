#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/gemm.hpp"
#include "reports/validation/gemm_rows.hpp"
#include "sim/config/machine.hpp"
#include "sim/run/result.hpp"
#include "sim/run/sustained_clock.hpp"

namespace stcsim {

struct ValidationOptions {
  bool fast_forward = true;
  /// Worker processes to run side by side.
  std::int64_t jobs = 1;
  /// Ways of timing, by name (MeasuredGemm::timing).
  std::map<std::string, TimingMethod> timing_methods;
  /// Told why a row is wrong, where that shows when it is run; it is left out.
  std::function<void(const ConfigError&)> on_bad_row;
  /// Told after every row, with the rows done so far; may be empty.
  std::function<void(std::size_t)> progress;
};

/// Simulates every row that can be, dense and sparse, each with its own best kernel; equal GEMMs
/// once, in worker
/// processes. The others are returned with the reason why they were skipped.
/// @param machines  by the name of the GPU in the table; a GPU that is not there is skipped
[[nodiscard]] std::vector<ValidationRow> validate_gemms(
    const std::vector<MeasuredGemm>& gemms, const std::map<std::string, MachineConfig>& machines,
    const ValidationOptions& options);

/// Leaves out the rows that `check` throws a ConfigError for, and puts it into `bad_rows`.
template <class Row, class Check>
void keep_right(std::vector<Row>& rows, std::vector<ConfigError>& bad_rows, const Check& check) {
  const auto is_wrong = [&](const Row& row) {
    try {
      check(row);
    } catch (const ConfigError& error) {
      bad_rows.push_back(error);
      return true;
    }
    return false;
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_wrong), rows.end());
}

/// @throws ConfigError at `where` unless the stack is "" or one of the machine's
void check_stack(const std::string& stack, const SourceLocation& where,
                 const MachineConfig& machine);

/// @throws ConfigError if the row's way of timing is none of `timings`, or its machine, if it has
///         one, has no stack of the row's name
void check_names(const MeasuredGemm& gemm, const std::map<std::string, MachineConfig>& machines,
                 const std::map<std::string, TimingMethod>& timings);

/// Where the cycles of each unit went that had something to do for a tenth of them: the buckets of
/// at least a tenth, the largest first: "tensor_core busy 66 %, idle 14 %; dram idle 70 %, busy 30
/// %".
[[nodiscard]] std::string unit_waits(const std::vector<UnitReport>& units);

/// Why the row cannot be simulated, on its machine or on any; "" if it can.
/// @param machine  null: no machine stands for its GPU
[[nodiscard]] std::string why_not_simulated(const MeasuredGemm& gemm, const MachineConfig* machine);

/// Models that need no simulator, to hold the simulated times against. Microseconds, without
/// launching. Only the selected columns of a pattern V:2:m are multiplied and moved.

/// The longer of the time of the multiplications at peak rate and that of the operands and C over
/// the DRAM interface, each once.
[[nodiscard]] double roofline_us(const GemmProblem& asked, const MachineConfig& machine);

/// The same, but the multiplications come in whole tiles of kPlainTile x kPlainTile of C, one per
/// SM at a time at its peak rate, and a wave of tiles that does not fill the machine takes as long
/// as one that does.
[[nodiscard]] double tile_model_us(const GemmProblem& asked, const MachineConfig& machine);
inline constexpr std::int64_t kPlainTile = 128;

}  // namespace stcsim
