#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "common/gemm.hpp"

namespace stcsim {

/// What somebody measured for one GEMM on a real GPU, or what the simulator says of it.
struct GemmTimes {
  std::optional<double> dense_us;
  std::optional<double> sparse_us;
  /// Dense time / sparse time.
  std::optional<double> speedup;

  friend bool operator==(const GemmTimes&, const GemmTimes&) = default;
};

/// What a row is for: looked at when the machines' parameters and libraries were set, there to test
/// them, or only shown, because other measurements contradict it: no score counts it.
enum class RowUse : std::uint8_t { fitting, testing, shown };
[[nodiscard]] std::string_view to_string(RowUse use);

/// A row of a table of measurements.
struct MeasuredGemm {
  SourceLocation where;
  std::string source;
  std::string gpu;
  std::string note;
  /// As written; not every measured pattern is n:m.
  std::string pattern;
  /// a_pattern is that of the sparse operand, dense if only the dense GEMM was measured.
  GemmProblem problem;
  GemmTimes measured;
  /// How the times were taken (configs/validation/timing.yaml).
  std::string timing = "events";
  /// The stack that was measured; "" for the machine's default, filled in once it is known.
  std::string stack;
  RowUse use = RowUse::testing;
  /// Why the row cannot be simulated, whatever the machine; "" if it can.
  std::string unusable;
};

/// Name of the file the row is in, without its folders.
[[nodiscard]] std::string table_of(const MeasuredGemm& gemm);

/// A measured row beside what the simulator predicts for it.
struct ValidationRow {
  MeasuredGemm gemm;
  std::string machine;
  /// The call that gives the same times; "" if the row is skipped.
  std::string command;
  GemmTimes simulated;
  /// What a roofline says: the longer of the time of the multiplications at peak rate and that of
  /// the operands and C over the DRAM interface, each once.
  GemmTimes roofline;
  std::string dense_kernel;
  std::string sparse_kernel;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

/// Simulated / measured - 1; nothing where either is missing.
[[nodiscard]] std::optional<double> relative_error(const std::optional<double>& simulated,
                                                   const std::optional<double>& measured);

/// Of the errors of several rows.
struct ErrorSummary {
  std::int64_t rows = 0;
  /// Mean of the absolute errors, and of the signed ones.
  double mean_absolute = 0;
  double bias = 0;
  /// Pearson's r of measured against simulated; nothing for fewer than two different values.
  std::optional<double> correlation;
};

/// Dense time, sparse time and speedup.
enum class Quantity : std::uint8_t { dense, sparse, speedup };

[[nodiscard]] std::optional<double> value_of(const GemmTimes& times, Quantity quantity);
[[nodiscard]] std::optional<double> error_of(const ValidationRow& row, Quantity quantity);

/// Which rows a summary is of, and what is compared with the measurements.
struct ErrorSelection {
  /// Only rows of this GPU; "" for all.
  std::string gpu;
  /// Only rows of this use; all that are scored, if there is none.
  std::optional<RowUse> use = {};
  GemmTimes ValidationRow::*predicted = &ValidationRow::simulated;
};
[[nodiscard]] ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows,
                                            const ErrorSelection& selection, Quantity quantity);

/// The summaries a report shows, each with the words for its rows: every GPU, all rows, those for
/// fitting, those for testing, those that are not scored, and the roofline's errors.
struct NamedSelection {
  std::string name;
  ErrorSelection selection;
};
[[nodiscard]] std::vector<NamedSelection> reported_selections(
    const std::vector<ValidationRow>& rows);

}  // namespace stcsim
