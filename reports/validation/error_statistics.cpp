#include "reports/validation/error_statistics.hpp"

#include <cmath>

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

ErrorSummary error_statistics(const std::vector<std::pair<double, double>>& points) {
  ErrorSummary summary;
  summary.rows = static_cast<std::int64_t>(points.size());
  if (points.empty()) return summary;
  for (const auto& [measured, predicted] : points) {
    const double error = predicted / measured - 1.0;
    summary.mean_absolute += std::abs(error);
    summary.bias += error;
  }
  summary.mean_absolute /= static_cast<double>(points.size());
  summary.bias /= static_cast<double>(points.size());
  summary.correlation = correlation_of(points);
  return summary;
}

}  // namespace stcsim
