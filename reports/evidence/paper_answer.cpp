#include "reports/evidence/paper_answer.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "common/io/format.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 10> kUnits{"ratio", "percent", "points", "count", "ms",
                                                  "us",    "TFLOP/s", "cycles", "bits",  "value"};

std::string significant(double value) {
  return (value < 0 ? "-" : "") + format_significant(std::abs(value));
}

}  // namespace

std::string_view to_string(PaperUnit unit) {
  return kUnits.at(static_cast<std::size_t>(unit));
}

std::string format_figure(PaperUnit unit, double value) {
  switch (unit) {
    case PaperUnit::ratio:
      return format_speedup(value);
    case PaperUnit::percent:
      return fmt::format("{:.{}f} %", value, std::abs(value) < 10 ? 2 : 1);
    case PaperUnit::points:
      return fmt::format("{:+.2f} points", value);
    case PaperUnit::count:
    case PaperUnit::value:
      return significant(value);
    case PaperUnit::ms:
    case PaperUnit::us:
    case PaperUnit::tflops:
    case PaperUnit::bits:
      return fmt::format("{} {}", significant(value), to_string(unit));
    case PaperUnit::cycles:
      return fmt::format("{:.0f} cycles", value);
  }
  return "";
}

std::string format_range(PaperUnit unit, double least, double most) {
  const std::string first = format_figure(unit, least);
  const std::string last = format_figure(unit, most);
  return first == last ? first : first + " to " + last;
}

}  // namespace stcsim
