#include "reports/error_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/io/html_text.hpp"
#include "reports/svg_style.hpp"

namespace stcsim {
namespace {

constexpr double kPlotWidth = 560;  // pixels
constexpr double kPlotHeight = 320;
constexpr double kPlotLeft = 80;  // margins
constexpr double kPlotTop = 40;
constexpr double kPlotRight = 190;
constexpr double kPlotBottom = 60;
constexpr double kSeriesStep = 22;
constexpr double kLeastLimit = 1.5;
constexpr double kMostLimit = 4;
constexpr std::array<double, 13> kRatios{0.25, 0.35, 0.5, 0.7, 0.8, 0.9, 1.0,
                                         1.1,  1.25, 1.5, 2.0, 3.0, 4.0};

/// Maps values to pixels.
class ErrorAxes {
 public:
  explicit ErrorAxes(const ScatterPlot& plot) {
    double low = INFINITY;
    double high = 0;
    for (const ScatterSeries& series : plot.series) {
      for (const auto& [x, ratio] : series.points) {
        low = std::min(low, x);
        high = std::max(high, x);
        limit_ = std::max({limit_, ratio, 1.0 / ratio});
      }
    }
    limit_ = std::min(limit_, kMostLimit);
    if (high == 0) low = high = 1;
    constexpr double kMargin = 1.15;
    low_ = low / kMargin;
    high_ = high * kMargin;
  }

  [[nodiscard]] double x(double value) const {
    return kPlotLeft + kPlotWidth * std::log(value / low_) / std::log(high_ / low_);
  }
  [[nodiscard]] double y(double ratio) const {
    const double shown = std::clamp(ratio, 1.0 / limit_, limit_);
    return kPlotTop + kPlotHeight * (0.5 - 0.5 * std::log(shown) / std::log(limit_));
  }
  [[nodiscard]] std::vector<double> x_ticks() const { return log_ticks(low_, high_); }
  [[nodiscard]] bool shows(double ratio) const {
    return ratio <= limit_ * (1 + 1e-9) && ratio >= (1 - 1e-9) / limit_;
  }

 private:
  double low_ = 1;
  double high_ = 1;
  double limit_ = kLeastLimit;
};

std::string lines_and_labels(const ErrorAxes& axes) {
  std::string text;
  for (const double at : axes.x_ticks()) {
    text += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:g}V{:g}\"/>\n", axes.x(at), kPlotTop,
                        kPlotTop + kPlotHeight);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:g}\" text-anchor=\"middle\">{:g}</text>\n",
                        axes.x(at), kPlotTop + kPlotHeight + 18, at);
  }
  for (const double ratio : kRatios) {
    if (!axes.shows(ratio)) continue;
    text += fmt::format("<path class=\"{}\" d=\"M{:g} {:.1f}H{:g}\"/>\n",
                        ratio == 1.0 ? "diagonal" : "grid", kPlotLeft, axes.y(ratio),
                        kPlotLeft + kPlotWidth);
    text += fmt::format("<text x=\"{:g}\" y=\"{:.1f}\" text-anchor=\"end\">{:+.0f} %</text>\n",
                        kPlotLeft - 8, axes.y(ratio) + 4, (ratio - 1.0) * 100.0);
  }
  return text;
}

/// One path for each series: every point is a line of no length with round ends.
std::string dots_of(const ScatterPlot& plot, const ErrorAxes& axes, double apart) {
  std::string text;
  for (std::size_t at = 0; at < plot.series.size(); ++at) {
    const ScatterSeries& series = plot.series[at];
    const double legend_y = kPlotTop + 10 + kSeriesStep * static_cast<double>(at);
    const double shift =
        apart * (static_cast<double>(at) - static_cast<double>(plot.series.size() - 1) / 2);
    text += fmt::format("<path class=\"dots\" stroke=\"{}\" d=\"",
                        kSeriesColours.at(at % kSeriesColours.size()));
    for (const auto& [x, ratio] : series.points) {
      text += fmt::format("M{:.1f} {:.1f}h0", axes.x(x) + shift, axes.y(ratio));
    }
    text += fmt::format("M{:.1f} {:.1f}h0\"/>\n", kPlotLeft + kPlotWidth + 18, legend_y);
    text += fmt::format("<text x=\"{:g}\" y=\"{:g}\">{} ({})</text>\n", kPlotLeft + kPlotWidth + 28,
                        legend_y + 4, html_text(series.name), series.points.size());
  }
  return text;
}

std::string titles_of(const ScatterPlot& plot) {
  return fmt::format(
      "<text x=\"{0:g}\" y=\"24\" font-weight=\"bold\">{1}</text>\n"
      "<text x=\"{2:g}\" y=\"{3:g}\" text-anchor=\"middle\">{4}</text>\n"
      "<text transform=\"translate(18 {5:g}) rotate(-90)\" text-anchor=\"middle\">{6}</text>\n",
      kPlotLeft, html_text(plot.title), kPlotLeft + kPlotWidth / 2, kPlotTop + kPlotHeight + 44,
      html_text(plot.x_label), kPlotTop + kPlotHeight / 2, html_text(plot.y_label));
}

}  // namespace

std::string error_svg(const ScatterPlot& plot, double band, double apart) {
  const ErrorAxes axes(plot);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:13px sans-serif;fill:#222}}"
      ".grid{{stroke:#ddd;fill:none}}.band{{fill:#0072b2;fill-opacity:.12}}"
      ".diagonal{{stroke:#888;fill:none}}"
      ".dots{{stroke-width:5;stroke-linecap:round;stroke-opacity:.55;fill:none}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kPlotLeft + kPlotWidth + kPlotRight, kPlotTop + kPlotHeight + kPlotBottom);
  text +=
      fmt::format("<path class=\"band\" d=\"M{0:g} {1:.1f}H{2:g}V{3:.1f}H{0:g}Z\"/>\n", kPlotLeft,
                  axes.y(1.0 + band), kPlotLeft + kPlotWidth, axes.y(1.0 / (1.0 + band)));
  text += lines_and_labels(axes) + dots_of(plot, axes, apart) + titles_of(plot);
  return text + "</svg>\n";
}

}  // namespace stcsim
