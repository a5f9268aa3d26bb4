#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "common/gemm.hpp"
#include "reports/validation/errors.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Times that somebody measured for one GEMM on a real GPU, or what the simulator says of it.
struct GemmTimes {
  std::optional<double> dense_us;
  std::optional<double> sparse_us;
  /// Dense time / sparse time.
  std::optional<double> speedup;

  friend bool operator==(const GemmTimes&, const GemmTimes&) = default;
};

/// Uses of a row: looked at when the machines' parameters and libraries were set, there to test
/// them, only shown, because other measurements contradict it, or sealed: predicted before it was
/// measured (results/predictions.csv). What is shown or sealed counts in no score but its own.
enum class RowUse : std::uint8_t { fitting, testing, shown, sealed };
inline constexpr std::array<std::pair<std::string_view, RowUse>, 4> kRowUses{
    {{"fitting", RowUse::fitting},
     {"testing", RowUse::testing},
     {"shown", RowUse::shown},
     {"sealed", RowUse::sealed}}};
[[nodiscard]] std::string_view to_string(RowUse use);
[[nodiscard]] constexpr bool is_scored(RowUse use) {
  return use == RowUse::fitting || use == RowUse::testing;
}

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
  /// The least and most of several measurements of the dense time, whose median `measured` has.
  std::optional<std::pair<double, double>> dense_range_us;
  /// The way the times were taken (configs/validation/timing.yaml).
  std::string timing = "events";
  /// The stack that was measured; "" for the machine's default, filled in once it is known.
  std::string stack;
  /// The card's clock, where it is known or assumed; nothing: what its board's power allows.
  std::optional<std::int64_t> clock_mhz = {};
  RowUse use = RowUse::testing;
  /// Why the row cannot be simulated, whatever the machine; "" if it can.
  std::string unusable;
};

/// Name of the file the row is in, without its folders.
[[nodiscard]] std::string table_of(const MeasuredGemm& gemm);

/// The kernel a GEMM ran with, and what became of its time.
struct SimulatedKernel {
  std::string name;
  /// As `stcsim gemm` judges (sim/run/bound_by.hpp).
  std::string bound_by;
  /// The waits of the simulated units (gemm_run.hpp).
  std::string waits;
};

/// A measured row beside what the simulator predicts for it.
struct ValidationRow {
  MeasuredGemm gemm;
  std::string machine;
  /// The call that gives the same times; "" if the row is skipped.
  std::string command;
  GemmTimes simulated;
  /// Where measured values are said to lie; not known where errors are not, or nothing was
  /// simulated.
  GemmIntervals likely;
  /// Models that need no simulator (gemm_run.hpp).
  GemmTimes roofline;
  GemmTimes tiles;
  SimulatedKernel dense_kernel;
  SimulatedKernel sparse_kernel;
  /// Why it was not simulated; "" if it was.
  std::string skipped;
};

/// Dense time, sparse time and speedup.
enum class GemmFigure : std::uint8_t { dense, sparse, speedup };

struct GemmFigureName {
  GemmFigure quantity;
  const char* key;
  const char* title;
};
inline constexpr std::array<GemmFigureName, 3> kGemmFigures{
    {{GemmFigure::dense, "dense", "dense time"},
     {GemmFigure::sparse, "sparse", "sparse time"},
     {GemmFigure::speedup, "speedup", "speedup"}}};

[[nodiscard]] std::optional<double> value_of(const GemmTimes& times, GemmFigure quantity);
[[nodiscard]] std::optional<double> error_of(const ValidationRow& row, GemmFigure quantity);
[[nodiscard]] inline const LikelyInterval& likely_of(const ValidationRow& row,
                                                     GemmFigure quantity) {
  if (quantity == GemmFigure::dense) return row.likely.dense_time;
  return quantity == GemmFigure::sparse ? row.likely.time : row.likely.speedup;
}
/// Nothing where either is missing.
[[nodiscard]] std::optional<std::pair<double, double>> measured_and_predicted(
    const ValidationRow& row, GemmFigure quantity, GemmTimes ValidationRow::*predicted);

/// Which rows a summary is of, and what is compared with the measurements.
struct ErrorSelection {
  /// Only rows of this GPU; "" for all.
  std::string gpu;
  /// Only rows of this use; all that are scored, if there is none.
  std::optional<RowUse> use = {};
  GemmTimes ValidationRow::*predicted = &ValidationRow::simulated;
  /// Only rows of patterns V:2:m.
  bool selects_columns = false;
};
[[nodiscard]] ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows,
                                            const ErrorSelection& selection, GemmFigure quantity);

/// The summaries a report shows, each with the words for its rows: every GPU, all rows, those for
/// fitting, those for testing, those of patterns V:2:m, those that are not scored, and the
/// roofline's errors.
struct NamedSelection {
  std::string name;
  ErrorSelection selection;
};
[[nodiscard]] std::vector<NamedSelection> reported_selections(
    const std::vector<ValidationRow>& rows);

/// The least and the most of several measurements that a row's note states: the numbers after
/// "least " and "most ", in the unit of the row's values. Nothing unless both are there.
[[nodiscard]] std::optional<std::pair<double, double>> measured_range_in(std::string_view note);

class TableFields;

/// Reads what a row says of a product, beside what was measured: gpu, dtype, M, N, K, pattern, and
/// source, layout, note, stack, use where there are such columns, as read_measured_gemms() does.
/// @throws ConfigError with file:line:column
void read_product(const TableFields& fields, MeasuredGemm& gemm);

/// Reads a table of measured GEMMs. Columns: source, gpu, dtype, M, N, K, layout, dense_value,
/// sparse_value, unit (s, ms, us or TFLOPS, dense-equivalent), speedup, pattern, note, and three
/// that may be left out: `timing`, a key of configs/validation/timing.yaml (events, or host where
/// the note says "incl. launch overhead"), `use` (RowUse), and `stack`, the machine's software
/// stack that was measured (its default). A value may be empty or MISSING; a missing dtype is taken
/// as fp16, "fp8" as fp8_e4m3, "fp4" as nvfp4; "fp16/fp32" names the accumulator too. "batch=n" in
/// the layout is a batched GEMM, "row" and "row.row", alone or beside it, are row-major matrices;
/// otherwise K is contiguous in both operands.
/// @param bad_rows if given, wrong rows are left out unless all are, and why is put here
/// @throws ConfigError with file:line:column
[[nodiscard]] std::vector<MeasuredGemm> read_measured_gemms(
    const std::filesystem::path& path, std::vector<ConfigError>* bad_rows = nullptr);

}  // namespace stcsim
