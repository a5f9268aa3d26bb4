#pragma once

#include <string>
#include <vector>

#include "reports/validation/interval.hpp"

namespace stcsim {

/// A measured range beside the simulated one; at least one end of each is given.
struct IntervalPair {
  std::string label;
  Interval measured;
  Interval simulated;
};

struct IntervalPlot {
  std::string title;
  std::string x_label;
  std::vector<IntervalPair> pairs;
};

/// The plot as an SVG file: a line for each pair, ranges as bars and single values as points, the
/// measured one above the simulated one; an open end goes to the edge. The same plot gives the same
/// bytes.
[[nodiscard]] std::string interval_svg(const IntervalPlot& plot);

}  // namespace stcsim
