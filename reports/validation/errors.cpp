#include "reports/validation/errors.hpp"

#include <charconv>
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

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || !(value > 0) || value > 1e9) return std::nullopt;
  return value;
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

std::optional<Interval> interval_from_string(std::string_view text) {
  constexpr std::string_view kUpTo = "up to ";
  if (text.starts_with(kUpTo)) {
    const auto high = positive_number(text.substr(kUpTo.size()));
    return high ? std::optional(Interval{std::nullopt, high}) : std::nullopt;
  }
  const std::size_t dash = text.find('-');
  const auto low = positive_number(text.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : positive_number(text.substr(dash + 1));
  if (!low || !high || *low > *high) return std::nullopt;
  return Interval{low, high};
}

std::optional<double> distance_from(const Interval& simulated, const Interval& measured) {
  if (simulated.is_empty() || measured.is_empty()) return std::nullopt;
  double furthest = 0.0;
  for (const std::optional<double>& end : {simulated.low, simulated.high}) {
    if (!end) continue;
    double distance = 0.0;
    if (measured.high && *end > *measured.high) distance = *end / *measured.high - 1.0;
    if (measured.low && *end < *measured.low) distance = *end / *measured.low - 1.0;
    if (std::abs(distance) > std::abs(furthest)) furthest = distance;
  }
  return furthest;
}

}  // namespace stcsim
