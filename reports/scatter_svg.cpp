#include "reports/scatter_svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/io/html_text.hpp"
#include "reports/svg_style.hpp"

namespace stcsim {
namespace {

constexpr double kSize = 560;  // of the plot's square, pixels
constexpr double kLeft = 70;   // margins
constexpr double kTop = 40;
constexpr double kRight = 220;
constexpr double kBottom = 60;
constexpr double kLegendStep = 22;
/// Maps values to pixels; both axes have the same range.
class Axes {
 public:
  explicit Axes(const ScatterPlot& plot) {
    double low = INFINITY;
    double high = 0;
    for (const ScatterSeries& series : plot.series) {
      for (const auto& [x, y] : series.points) {
        low = std::min({low, x, y});
        high = std::max({high, x, y});
      }
    }
    if (high == 0) low = high = 1;
    constexpr double kMargin = 1.15;
    low_ = low / kMargin;
    high_ = high * kMargin;
  }

  [[nodiscard]] double x(double value) const { return kLeft + kSize * share(value); }
  [[nodiscard]] double y(double value) const { return kTop + kSize * (1.0 - share(value)); }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

  [[nodiscard]] std::vector<double> ticks() const { return log_ticks(low_, high_); }

 private:
  [[nodiscard]] double share(double value) const {
    return std::log(value / low_) / std::log(high_ / low_);
  }

  double low_ = 1;
  double high_ = 1;
};

std::string grid_of(const Axes& axes) {
  std::string text;
  for (const double at : axes.ticks()) {
    text += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {4:.1f}H{5:.1f}\"/>\n",
        axes.x(at), kTop, kTop + kSize, kLeft, axes.y(at), kLeft + kSize);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n",
                        axes.x(at), kTop + kSize + 18, at);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n",
                        kLeft - 8, axes.y(at) + 4, at);
  }
  return text;
}

/// The band between y = x / (1 + band) and y = x * (1 + band), cut at the axes, and the diagonal.
std::string band_of(const Axes& axes, double band) {
  const double low = axes.low();
  const double high = axes.high();
  const double wide = 1.0 + band;
  std::string text = fmt::format(
      "<path class=\"band\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} "
      "{:.1f}L{:.1f} {:.1f}Z\"/>\n",
      axes.x(low), axes.y(low), axes.x(low), axes.y(low * wide), axes.x(high / wide), axes.y(high),
      axes.x(high), axes.y(high), axes.x(high), axes.y(high / wide), axes.x(low * wide),
      axes.y(low));
  text += fmt::format("<path class=\"diagonal\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n",
                      axes.x(low), axes.y(low), axes.x(high), axes.y(high));
  return text;
}

/// The points of faint series, or of all others, each with its line of the legend.
std::string points_of(const ScatterPlot& plot, const Axes& axes, bool faint) {
  constexpr const char* kFaintColour = "#bbb";
  std::string text;
  for (std::size_t at = 0; at < plot.series.size(); ++at) {
    const ScatterSeries& series = plot.series[at];
    if (series.faint != faint) continue;
    const char* colour = faint ? kFaintColour : kSeriesColours.at(at % kSeriesColours.size());
    const double legend_y = kTop + 10 + kLegendStep * static_cast<double>(at);
    text += fmt::format("<g fill=\"{}\">\n", colour);
    for (const auto& [x, y] : series.points) {
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", axes.x(x), axes.y(y));
    }
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/></g>\n", kLeft + kSize + 18,
                        legend_y);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} ({})</text>\n", kLeft + kSize + 28,
                        legend_y + 4, html_text(series.name), series.points.size());
  }
  return text;
}

}  // namespace

std::string scatter_svg(const ScatterPlot& plot, double band) {
  const Axes axes(plot);
  const double width = kLeft + kSize + kRight;
  const double height = kTop + kSize + kBottom;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\">\n<style>text{{font:13px "
      "sans-serif;fill:#222}}.grid{{stroke:#ddd;fill:none}}"
      ".band{{fill:#0072b2;fill-opacity:.12}}.diagonal{{stroke:#888;fill:none}}"
      "circle{{fill-opacity:.7}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height);
  text += band_of(axes, band) + grid_of(axes);
  text += fmt::format(
      "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      kLeft, kTop, kSize, kSize);
  text += points_of(plot, axes, true) + points_of(plot, axes, false);
  text += fmt::format("<text x=\"{:g}\" y=\"24\" font-weight=\"bold\">{}</text>\n", kLeft,
                      html_text(plot.title));
  text += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n",
                      kLeft + kSize / 2, kTop + kSize + 44, html_text(plot.x_label));
  text += fmt::format(
      "<text transform=\"translate(18 {:g}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n</svg>\n",
      kTop + kSize / 2, html_text(plot.y_label));
  return text;
}

}  // namespace stcsim
