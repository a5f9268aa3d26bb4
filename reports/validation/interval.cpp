#include "reports/validation/interval.hpp"

#include <charconv>
#include <cmath>

namespace stcsim {
namespace {

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || !(value > 0) || value > 1e9) return std::nullopt;
  return value;
}

}  // namespace

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
