#include "common/io/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace stcsim {
namespace {

constexpr int kSignificantDigits = 3;

/// Power of ten of the value's first digit once it is rounded to three: 999.6 is 1.00e3, so 3.
int rounded_exponent(double value) {
  if (value == 0.0) return 0;
  const std::string scientific = fmt::format("{:.{}e}", value, kSignificantDigits - 1);
  return std::stoi(scientific.substr(scientific.find('e') + 1));
}

std::string format_scaled(double value, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && rounded_exponent(value) >= 3) {
    value /= 1000.0;
    ++unit;
  }
  return format_significant(value) + " " + std::string(units[unit]);
}

}  // namespace

std::string format_count(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string format_amount(std::int64_t value) {
  constexpr std::array<std::string_view, 5> kUnits{"", "k", "M", "G", "T"};
  constexpr std::int64_t kShort = 100'000;
  return value < kShort ? format_count(value) : format_scaled(static_cast<double>(value), kUnits);
}

std::string format_significant(double value) {
  const int decimals = std::max(0, kSignificantDigits - 1 - rounded_exponent(value));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_speedup(double ratio) {
  return format_significant(ratio) + "x";
}

std::string format_time_us(double microseconds) {
  constexpr std::string_view kUnits[] = {"us", "ms", "s"};
  return format_scaled(microseconds, kUnits);
}

std::string format_percent(double fraction) {
  return fmt::format("{:.1f} %", 100.0 * fraction);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  return format_scaled(static_cast<double>(bytes), kUnits);
}

std::string format_shape(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch_count) {
  std::string shape = fmt::format("{}×{}×{}", m, n, k);
  if (batch_count != 1) shape += fmt::format("×{}", batch_count);
  return shape;
}

}  // namespace stcsim
