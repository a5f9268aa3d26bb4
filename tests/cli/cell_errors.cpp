#include "tests/cli/cell_errors.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace stcsim {

CellErrors errors_of(const nlohmann::json& rows, const CellBound& cell,
                     const std::string& quantity) {
  constexpr double kLongFromUs = 20.0;
  CellErrors errors;
  for (const auto& row : rows) {
    const auto& error = row[quantity + "_error"];
    const bool is_scored = row["use"] != "shown" && !error.is_null();
    if (!is_scored || row["machine"] != cell.machine || row["dtype"] != cell.dtype) continue;
    const auto& dense_us = row["measured_dense_us"];
    if (dense_us.is_null() || (dense_us.get<double>() >= kLongFromUs) != cell.is_long) continue;
    errors.mean_absolute += 100 * std::abs(error.get<double>());
    errors.bias += 100 * error.get<double>();
    ++errors.rows;
  }
  if (errors.rows == 0) return errors;
  errors.mean_absolute /= errors.rows;
  errors.bias /= errors.rows;
  return errors;
}

void expect_within(const nlohmann::json& rows, std::span<const CellBound> cells, double most_bias) {
  for (const CellBound& cell : cells) {
    const std::pair<const char*, double> bounds[]{
        {"dense", cell.dense}, {"sparse", cell.sparse}, {"speedup", cell.speedup}};
    for (const auto& [quantity, bound] : bounds) {
      if (bound == 0) continue;
      const CellErrors errors = errors_of(rows, cell, quantity);
      SCOPED_TRACE(std::string(cell.machine) + " " + cell.dtype + " " + quantity +
                   (cell.is_long ? ", long" : ", short"));
      EXPECT_GT(errors.rows, 0);
      EXPECT_LE(errors.mean_absolute, bound);
      if (!cell.is_long) continue;
      EXPECT_LE(std::abs(errors.bias), most_bias);
    }
  }
}

}  // namespace stcsim
