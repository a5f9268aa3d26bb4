#include "sim/validation/validation_result.hpp"

#include <cmath>
#include <utility>

namespace stcsim {
namespace {

/// Pearson's r of pairs.
std::optional<double> correlation_of(const std::vector<std::pair<double, double>>& points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    yy += (y - mean_y) * (y - mean_y);
    xy += (x - mean_x) * (y - mean_y);
  }
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace

std::optional<double> relative_error(const std::optional<double>& simulated,
                                     const std::optional<double>& measured) {
  if (!simulated || !measured) return std::nullopt;
  return *simulated / *measured - 1.0;
}

std::optional<double> value_of(const GemmTimes& times, Quantity quantity) {
  if (quantity == Quantity::dense) return times.dense_us;
  return quantity == Quantity::sparse ? times.sparse_us : times.speedup;
}

std::optional<double> error_of(const ValidationRow& row, Quantity quantity) {
  return relative_error(value_of(row.simulated, quantity), value_of(row.gemm.measured, quantity));
}

ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows, const std::string& gpu,
                              Quantity quantity) {
  ErrorSummary summary;
  std::vector<std::pair<double, double>> points;
  for (const ValidationRow& row : rows) {
    if (!gpu.empty() && row.gemm.gpu != gpu) continue;
    const std::optional<double> error = error_of(row, quantity);
    if (!error) continue;
    summary.mean_absolute += std::abs(*error);
    summary.bias += *error;
    points.emplace_back(*value_of(row.gemm.measured, quantity), *value_of(row.simulated, quantity));
  }
  summary.rows = static_cast<std::int64_t>(points.size());
  if (points.empty()) return summary;
  summary.mean_absolute /= static_cast<double>(points.size());
  summary.bias /= static_cast<double>(points.size());
  summary.correlation = correlation_of(points);
  return summary;
}

}  // namespace stcsim
