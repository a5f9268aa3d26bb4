#include "reports/validation/interval_svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/io/html_text.hpp"

namespace stcsim {
namespace {

constexpr double kLeft = 470;  // labels
constexpr double kWidth = 420;
constexpr double kRight = 30;
constexpr double kTop = 62;
constexpr double kRow = 26;
constexpr double kBottom = 50;
constexpr double kTick = 0.2;
/// Told apart by readers who do not see all colours (Okabe and Ito, 2008).
constexpr const char* kMeasured = "#0072b2";
constexpr const char* kSimulated = "#d55e00";

/// The axis: whole ticks around all ends and 1.
class Axis {
 public:
  explicit Axis(const IntervalPlot& plot) {
    for (const IntervalPair& pair : plot.pairs) {
      for (const Interval& interval : {pair.measured, pair.simulated}) {
        for (const std::optional<double>& end : {interval.low, interval.high}) {
          if (end) include(*end);
        }
      }
    }
  }

  [[nodiscard]] double x(double value) const {
    const double low = first_ * kTick;
    const double high = last_ * kTick;
    return kLeft + kWidth * (value - low) / (high - low);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> ticks;
    for (double at = first_; at <= last_; at += 1) ticks.push_back(at * kTick);
    return ticks;
  }

 private:
  void include(double value) {
    first_ = std::min(first_, std::floor(value / kTick));
    last_ = std::max(last_, std::ceil(value / kTick));
  }

  double first_ = 4;  // in ticks: 0.8
  double last_ = 6;
};

std::string bar(const Axis& axis, const Interval& interval, double y, const char* colour) {
  constexpr double kHeight = 8;
  const double left = interval.low ? axis.x(*interval.low) : kLeft;
  const double right = interval.high ? axis.x(*interval.high) : kLeft + kWidth;
  if (right - left < kHeight) {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n",
                       (left + right) / 2, y, colour);
  }
  return fmt::format(
      "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:g}\" rx=\"4\" "
      "fill=\"{}\"/>\n",
      left, y - kHeight / 2, right - left, kHeight, colour);
}

std::string grid_of(const Axis& axis, double bottom) {
  std::string text;
  for (const double at : axis.ticks()) {
    text +=
        fmt::format("<path class=\"grid\" d=\"M{:.1f} {:g}V{:g}\"/>\n", axis.x(at), kTop, bottom);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{:.1f}</text>\n",
                        axis.x(at), bottom + 18, at);
  }
  return text;
}

std::string legend() {
  constexpr double kY = 44;
  std::string text;
  double x = kLeft;
  for (const auto& [name, colour] :
       {std::pair("measured", kMeasured), std::pair("simulated", kSimulated)}) {
    text += fmt::format("<circle cx=\"{:g}\" cy=\"{:g}\" r=\"4\" fill=\"{}\"/>\n", x, kY, colour);
    text += fmt::format("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", x + 10, kY + 4, name);
    x += 110;
  }
  return text;
}

}  // namespace

std::string interval_svg(const IntervalPlot& plot) {
  const Axis axis(plot);
  const double bottom = kTop + kRow * static_cast<double>(plot.pairs.size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:13px "
      "sans-serif;fill:#222}}.grid{{stroke:#ddd;fill:none}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kLeft + kWidth + kRight, bottom + kBottom);
  text += fmt::format("<text x=\"16\" y=\"24\" font-weight=\"bold\">{}</text>\n",
                      html_text(plot.title));
  text += legend() + grid_of(axis, bottom);
  double y = kTop;
  for (const IntervalPair& pair : plot.pairs) {
    text += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n", kLeft - 12,
                        y + kRow / 2 + 4, html_text(pair.label));
    text += bar(axis, pair.measured, y + kRow / 2 - 5, kMeasured);
    text += bar(axis, pair.simulated, y + kRow / 2 + 5, kSimulated);
    y += kRow;
  }
  text += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
                      kLeft + kWidth / 2, bottom + 38, html_text(plot.x_label));
  return text;
}

}  // namespace stcsim
