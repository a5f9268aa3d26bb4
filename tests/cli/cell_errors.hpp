#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// Mean of the absolute errors of a quantity and of the signed ones.
struct CellErrors {
  double mean_absolute = 0;
  double bias = 0;
  int rows = 0;
};

/// Rows of one card and data type that take as long, and what their errors may be, in per cent; 0
/// where there are no such rows.
struct CellBound {
  const char* machine;
  const char* dtype;
  bool is_long;  // 20 us and more, dense
  double dense;
  double sparse;
  double speedup;
};

/// Over the scored rows of that card, type and length whose quantity ("dense", "sparse" or
/// "speedup") was measured.
[[nodiscard]] CellErrors errors_of(const nlohmann::json& rows, const CellBound& cell,
                                   const std::string& quantity);

/// Every cell keeps its bounds, and no cell of long rows is biased by more than `most_bias` per
/// cent.
void expect_within(const nlohmann::json& rows, std::span<const CellBound> cells, double most_bias);

}  // namespace stcsim
