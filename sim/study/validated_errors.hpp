#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/data_type.hpp"
#include "common/gemm.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// Errors depend on what a launch is like more than on the card. With few columns a product moves
/// its weights and multiplies little; a short launch is one of few waves, in which latencies, the
/// last wave and the kernel that was chosen count. Both are known before anything is measured.
enum class GemmRegime : std::uint8_t { few_short, few_long, many_short, many_long };
inline constexpr std::array<std::string_view, 4> kGemmRegimes{
    "few columns short", "few columns long", "many columns short", "many columns long"};
inline constexpr std::int64_t kFewColumns = 256;
inline constexpr double kShortUs = 100;
/// @param time_us  of the launch itself, as simulated; columns are the shorter side of the result
[[nodiscard]] GemmRegime regime_of(std::int64_t m, std::int64_t n, double time_us);

/// Ends of ln(measured / simulated).
struct LogRange {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
  friend bool operator==(const LogRange&, const LogRange&) = default;
};

/// Where 95 and 80 % of measured values lie, as python/stcsim/evidence/bands.py finds it.
struct ErrorBand {
  LogRange in_95;
  LogRange in_80;

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

/// Fewer rows say nothing of their card.
inline constexpr std::int64_t kFewestRows = 6;

/// Errors of the rows of a card (or of all cards with its SM, or of all), of a type (or of all with
/// so many bits, or of all), in a regime (or in all).
struct ErrorCell {
  /// A machine, a die in capitals, or "" for all cards.
  std::string machine;
  /// A type, its bits, or "".
  std::string dtype;
  std::string quantity;
  std::string regime;
  std::int64_t rows = 0;
  /// Of simulated / measured - 1.
  double mean_absolute_error = 0;
  double bias = 0;
  /// Nothing of rows that are too few for one.
  std::optional<ErrorBand> band = {};
};

/// The die of each machine: the same SM.
using Dies = std::map<std::string, std::string>;

/// "16" of fp16 and bf16; "" of what is no type.
[[nodiscard]] std::string bits_of_type(std::string_view dtype);

/// How far simulated values of one quantity are off.
struct QuantityError {
  /// Mean of |simulated / measured - 1|.
  double mean = 0;
  /// Of ln(measured / simulated); it holds 0.
  ErrorBand band;
  /// Of other types or other cards.
  bool is_assumed = false;

  friend bool operator==(const QuantityError&, const QuantityError&) = default;
};

/// Errors of GEMMs by regime. Their mean is of all regimes.
struct GemmErrors : std::array<QuantityError, kGemmRegimes.size()> {
  [[nodiscard]] const QuantityError& in(GemmRegime regime) const {
    return at(static_cast<std::size_t>(regime));
  }
  [[nodiscard]] double mean() const { return front().mean; }
};

/// How far simulated times of one machine and type are off.
struct TimeErrors {
  GemmErrors dense = {};
  GemmErrors sparse = {};
  /// What a sparse GEMM gains over the dense one.
  GemmErrors gain = {};
  /// Kernels beside the GEMMs.
  QuantityError stream = {};
  /// Whole dense steps of a framework.
  QuantityError step = {};
  /// Signed: by how much the mean gain is claimed too large where sparse is chosen by simulated
  /// times; 0 where that was not measured.
  double selection = 0;

  friend bool operator==(const TimeErrors&, const TimeErrors&) = default;
};

/// Where the measured value lies that was simulated as `value`.
[[nodiscard]] LikelyInterval likely(double value, const QuantityError& error);

/// GEMMs from this dense time on are those that validated errors are of; shorter ones tell of hosts
/// and launches besides.
inline constexpr double kValidatedFromUs = 20;

/// Of one GEMM and of its dense baseline.
struct GemmIntervals {
  LikelyInterval time;
  LikelyInterval dense_time;
  LikelyInterval speedup;

  friend bool operator==(const GemmIntervals&, const GemmIntervals&) = default;
};

/// A GEMM, the dense one in its place, and what was simulated for them.
struct SimulatedGemm {
  GemmProblem problem;
  GemmProblem dense;
  /// Of the hardware that the GEMM ran on.
  Pattern hardware_pattern = kDense;
  double time_us = 0;
  double dense_time_us = 0;
};
/// By errors of other cards no gain is more than the pattern's m/n, unless what was simulated is.
[[nodiscard]] GemmIntervals gemm_intervals(const TimeErrors& errors, const SimulatedGemm& gemm);

/// What is known of errors.
struct ErrorTables {
  /// Of the tables that `stcsim evidence rows` compares with: configs/validation/errors.csv. Of
  /// machine "backtest", as said before any time of three cards was known: backtest_errors.csv.
  std::vector<ErrorCell> cells;
  /// dies.csv
  Dies dies;
};
/// Nothing where the folder lacks one of the files.
/// @throws ConfigError with file:line:column for a file that is malformed
[[nodiscard]] std::optional<ErrorTables> read_error_tables(const std::filesystem::path& folder);

/// The errors of any machine, by these tables.
class ValidatedErrors {
 public:
  explicit ValidatedErrors(ErrorTables tables);

  /// As read_error_tables().
  [[nodiscard]] static std::optional<ValidatedErrors> load(const std::filesystem::path& folder);

  /// Bands of GEMMs are of the first of these that has one in the regime: the card's rows of the
  /// type; of its types with as many bits; of the cards with its SM; of all cards; of all cards in
  /// any regime. The back-test's stand for the last three where dies.csv lacks the card. Means are
  /// of the card's own rows in the type, else in another with as many bits, else the back-test's.
  /// A band of steps is of the card with the framework; of the card, where that has some rows of
  /// the framework; else of all cards, and what the back-test's dense GEMMs are off besides. Fewer
  /// than kFewestRows rows do not count.
  [[nodiscard]] TimeErrors of(const std::string& machine, DataType dtype,
                              const std::string& framework) const;

 private:
  /// Quantity, machine, type, regime.
  using Name = std::tuple<std::string, std::string, std::string, std::string>;

  [[nodiscard]] const ErrorCell* find(const Name& name) const;
  [[nodiscard]] const ErrorCell* find_own(const std::string& machine, DataType dtype,
                                          const std::string& quantity) const;
  [[nodiscard]] const ErrorCell* largest(const std::string& quantity) const;
  [[nodiscard]] QuantityError band_of(const std::string& machine, DataType dtype,
                                      const std::string& quantity, std::string_view regime) const;
  [[nodiscard]] GemmErrors gemms_of(const std::string& machine, DataType dtype,
                                    const std::string& quantity) const;
  [[nodiscard]] QuantityError step_of(const std::string& machine,
                                      const std::string& framework) const;
  [[nodiscard]] QuantityError stream_of(const std::string& machine) const;

  std::map<Name, ErrorCell> cells_;
  Dies dies_;
};

/// Where the speedup of a step lies, if its kernels are off as validated ones are.
///
/// The logarithm of the speedup changes with the relative error of a kernel's time by the kernel's
/// share of the dense step less its share of the scheme's; with the error of a gain by the share of
/// the scheme's step that it made. Of each class (dense GEMMs, gains, other kernels) the mean
/// absolute error is taken to be common to all kernels, the classes' worst cases added; and the
/// band of its regime to be each kernel's own besides, independent, the squares added at either
/// end. With these goes what the framework's recipe leaves out, by the band of whole dense steps,
/// if kernels beside the GEMMs are among the rows: its time is in both steps, so that it draws the
/// speedup towards 1; what the recipe lists too much is at most all of these kernels. Where gains
/// that are chosen by simulated times are claimed too large (TimeErrors::selection), the lower end
/// is lower by that in the share of the step that runs sparse; the upper end is higher where they
/// are claimed too small. It is at most the dense step over the step in which products that run
/// sparse take n/m of their time and what the scheme adds takes none.
///
/// @param rows               of one scheme in one pass on one machine
/// @param share_of_training  in which the scheme is sparse: 1 for a sparse step itself
[[nodiscard]] LikelyInterval speedup_interval(const std::vector<const ResultRow*>& rows,
                                              double share_of_training, const TimeErrors& errors);

/// The step in which the scheme is sparse, or the dense one.
enum class StepOf : std::uint8_t { scheme, dense };

/// Where the time of such a step lies: by the band of whole dense steps, and by those of what ran
/// sparse and what the scheme adds; of GEMMs alone by theirs. Not known of no rows.
/// @param rows     of one scheme in one pass on one machine
/// @param time_us  that of the step, as simulated
[[nodiscard]] LikelyInterval time_interval(const std::vector<const ResultRow*>& rows, StepOf step,
                                           double time_us, const TimeErrors& errors);

/// Fills in the intervals of all complete totals.
void add_intervals(std::vector<StudyTotal>& totals, const std::vector<ResultRow>& rows,
                   const TimeErrors& errors);

}  // namespace stcsim
