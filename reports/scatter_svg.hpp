#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stcsim {

/// Points of one kind, drawn in one colour.
struct ScatterSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x, y; above 0
  /// Grey and beneath the others.
  bool faint = false;
};

struct ScatterPlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<ScatterSeries> series;
};

/// The plot as an SVG file: both axes logarithmic with the same range, the diagonal, and the band
/// of `band` (0.1 = ±10 %) around it. The same plot gives the same bytes.
[[nodiscard]] std::string scatter_svg(const ScatterPlot& plot, double band);

}  // namespace stcsim
