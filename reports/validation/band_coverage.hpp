#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/table.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Rows that the bands they are held against were not made of.
enum class HeldOut : std::uint8_t {
  /// All of the card's: it is taken as one that nobody measured.
  card,
  /// Of steps those of the network on the card, of GEMMs those of a tenth of all networks and
  /// shapes.
  network,
};

/// How many rows lie in their bands.
struct BandCoverage {
  std::string quantity;
  /// Of steps the card.
  std::string regime;
  std::int64_t rows = 0;
  std::int64_t in_95 = 0;
  std::int64_t in_80 = 0;
  /// High end / low end of the bands of 95 %, of each row, in rising order.
  std::vector<double> ratios;
};

/// Of GEMMs and steps, by quantity and regime.
/// @param tables  for the dies and a blind card's errors; the cells are made anew of what is left
[[nodiscard]] std::vector<BandCoverage> band_coverage(const std::vector<Residual>& residuals,
                                                      const ErrorTables& tables, HeldOut held_out);

[[nodiscard]] Table band_table(const std::vector<Residual>& residuals, const ErrorTables& tables);

inline constexpr const char* kBandLegend =
    "Shares of measured values inside the bands that are said to hold 95 and 80 % of them, and "
    "high end / low end of the wider one in the median. Card left out: bands of the other cards, "
    "as of one that nobody measured. Network left out: bands without the rows of the network "
    "(GEMMs: of a tenth of the networks and shapes). Few columns: up to 256; short: below 100 us, "
    "as simulated.";

}  // namespace stcsim
