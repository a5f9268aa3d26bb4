#include "reports/svg_style.hpp"

#include <cmath>

namespace stcsim {
namespace {

/// A range of less than this factor is short.
constexpr double kShortRange = 8;
/// Beyond this factor, labels of 1, 2 and 5 would touch.
constexpr double kLongRange = 3000;

}  // namespace

std::vector<double> log_ticks(double low, double high) {
  const std::vector<double> few{1.0, 3.0};
  const std::vector<double> some{1.0, 2.0, 5.0};
  const std::vector<double> many{1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0};
  const double range = high / low;
  std::vector<double> ticks;
  for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double factor : range < kShortRange ? many : range < kLongRange ? some : few) {
      const double at = factor * decade;
      if (at >= low && at <= high) ticks.push_back(at);
    }
  }
  return ticks;
}

}  // namespace stcsim
