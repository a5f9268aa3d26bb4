#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// A measured row beside its prediction.
struct Residual {
  std::string machine;
  /// "" of steps and of kernels beside the GEMMs: all types together.
  std::string dtype;
  /// "dense", "sparse", "speedup" of GEMMs; "stream", "step".
  std::string quantity;
  /// One of kGemmRegimes; of steps the framework.
  std::string regime;
  /// The network it is of, else M and K: rows of a group have much in common.
  std::string group;
  /// ln(measured / simulated).
  double log_ratio = 0;
};

/// Ends of ln(measured / simulated).
struct LogRange {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
  friend bool operator==(const LogRange&, const LogRange&) = default;
};

/// Where 95 and 80 % of measured values lie.
struct ErrorBand {
  LogRange in_95;
  LogRange in_80;

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

/// Fewer rows say nothing of their card.
inline constexpr std::int64_t kFewestRows = 6;

/// The middle `share` of values that holds the next one as often, if it comes as they came: those
/// of rank (1 - share) / 2 of (values + 1) from either end, which needs no distribution (conformal
/// prediction; Vovk et al., Algorithmic Learning in a Random World, 2005). Nothing where that rank
/// is below 1: 95 % takes 39 values.
[[nodiscard]] std::optional<LogRange> middle_of(std::vector<double> values, double share);

/// The same of kFewestRows values and more; where the rank is below 1, the furthest value or the
/// prediction interval of a normal distribution, whichever is further.
[[nodiscard]] LogRange middle_of_few(const std::vector<double>& values, double share);

/// The middle `share` of several cards' values, in which each card counts the same.
[[nodiscard]] LogRange middle_of_cards(const std::map<std::string, std::vector<double>>& by_card,
                                       double share);

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

/// What configs/validation/errors.csv keeps. Of GEMMs: for each card and type all rows, without a
/// band; and with a band, where there are 39 rows, for each regime those of the card's
/// type, of its types with as many bits, of cards with its SM (79 rows), and of all cards; of all
/// in any regime besides. Of steps, with a band from kFewestRows on: of a card and framework, of a
/// card, and of all cards, these as middle_of_cards() of 90 %. Of kernels beside the GEMMs: of a
/// card.
[[nodiscard]] std::vector<ErrorCell> error_cells(const std::vector<Residual>& residuals,
                                                 const Dies& dies);

}  // namespace stcsim
