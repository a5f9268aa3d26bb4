#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/table.hpp"
#include "reports/validation/errors.hpp"
#include "reports/validation/validation_run.hpp"

namespace stcsim {

/// Errors of all scored rows of a machine, type and quantity, and how far its interval holds.
struct ErrorCell {
  std::string machine;
  /// "" of steps and of kernels beside the GEMMs: all types together.
  std::string dtype;
  /// "dense", "sparse", "speedup" of GEMMs from kValidatedFromUs on; "selection", "stream", "step".
  std::string quantity;
  ErrorSummary errors;
  double half_width = 0;
  /// Shares of measured values in an interval: of GEMMs, if the card had no rows, and if it had
  /// half of them.
  std::optional<double> inside_as_blind = {};
  std::optional<double> inside_left_out = {};
};

/// ln(simulated / measured) of a row. Rows of a group have much in common.
struct GroupedError {
  std::string group;
  double log_error = 0;
};

/// The network that a row names (a note of one word), else its M and K.
[[nodiscard]] std::string group_of(const MeasuredGemm& gemm);

/// The share of rows within half_width() of the rows of the other half of the groups; mean of
/// kDraws draws of that half, the draw's number the seed. Nothing of a single group.
/// @param blind_half  the interval's of few rows
[[nodiscard]] std::optional<double> inside_left_out(const std::vector<GroupedError>& errors,
                                                    double blind_half);
inline constexpr int kDraws = 20;

/// By machine, type and quantity: what configs/validation/errors.csv keeps.
[[nodiscard]] std::vector<ErrorCell> error_cells(const ValidationResults& results);
[[nodiscard]] std::string error_cells_csv(const std::vector<ErrorCell>& cells);
/// Intervals and what lies in them, of GEMMs and of steps.
[[nodiscard]] Table interval_table(const std::vector<ErrorCell>& cells);

inline constexpr const char* kIntervalLegend =
    "Where measured values are said to lie: the simulated one over and times e to the power of "
    "half "
    "the interval, given in per cent. As blind: the share of the rows inside if the card had none; "
    "left out: of the half of its networks, else of its M and K, that the interval was not made "
    "of, mean of 20 draws.";

}  // namespace stcsim
