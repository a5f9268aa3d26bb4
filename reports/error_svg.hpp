#pragma once

#include <string>

#include "reports/scatter_svg.hpp"

namespace stcsim {

/// Errors over something as an SVG file. Points are (x, predicted / measured), both above 0; both
/// axes are logarithmic, so that twice and half as long are equally far from the middle. The axis
/// of errors goes from a quarter to four times at most: what lies beyond is drawn at its edge. The
/// band of `band` (0.1 = ±10 %) is marked. Where many points have the same x, series can be drawn
/// side by side, `apart` pixels from each other. The same plot gives the same bytes.
[[nodiscard]] std::string error_svg(const ScatterPlot& plot, double band, double apart = 0);

}  // namespace stcsim
