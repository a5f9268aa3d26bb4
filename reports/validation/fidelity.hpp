#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/data_type.hpp"
#include "common/io/table.hpp"
#include "reports/validation/gemm_rows.hpp"

namespace stcsim {

/// GEMMs whose dense time is 20 us and more, or below.
enum class SizeClass : std::uint8_t { large, small };
/// By the dense time: as measured, else as simulated; of rows without one, by the sparse time.
[[nodiscard]] SizeClass size_class(const ValidationRow& row);

/// Which rows a cell is of. What is empty is all of it; without a use, all rows that are scored.
struct CellKey {
  std::string machine;
  DataType dtype = DataType::fp16;
  SizeClass size = SizeClass::large;
  std::string stack = {};
  /// The source's name, without the version behind " @".
  std::string source = {};
  std::optional<RowUse> use = {};

  friend bool operator==(const CellKey&, const CellKey&) = default;
};

/// Distances between measurements of the same GEMM: no model is closer to all of them.
struct SpreadSummary {
  /// Rows that state the least and the most of several measurements of the dense time.
  std::int64_t rows = 0;
  /// Mean of half the distance between them, as a share of the measured time.
  double half_range = 0;
  /// Share of the rows whose simulated dense time lies between them.
  double within = 0;
};

/// Errors of a group of rows, by GemmFigure.
struct FidelityCell {
  CellKey key;
  std::array<ErrorSummary, 3> simulated;
  std::array<ErrorSummary, 3> roofline;
  std::array<ErrorSummary, 3> tiles;
  SpreadSummary spread;
};

/// For every machine, data type and size class that has rows: a cell of all that are scored; where
/// they have several sources or stacks, one for each use and for each stack; and one for each
/// source, stack and use.
[[nodiscard]] std::vector<FidelityCell> fidelity_cells(const std::vector<ValidationRow>& rows);

/// The meaning of the columns of fidelity_table(), a few sentences without line breaks.
inline constexpr const char* kFidelityLegend =
    "By measured dense time. Roofline, tiles: mean |error| of peak rate and DRAM bandwidth, and of "
    "waves of 128x128 tiles at peak rate. Spread: half the distance between the least and the most "
    "of several measurements of the same GEMM; within: simulated times between them.";

/// Errors of each cell and quantity; `with_sources` also of the cells of one source.
[[nodiscard]] Table fidelity_table(const std::vector<FidelityCell>& cells, bool with_sources);

/// An object for each cell and quantity that has rows; docs/evidence.md lists the keys.
[[nodiscard]] std::vector<nlohmann::ordered_json> fidelity_json(
    const std::vector<FidelityCell>& cells);
[[nodiscard]] std::string fidelity_csv(const std::vector<FidelityCell>& cells);

}  // namespace stcsim
