#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace stcsim
