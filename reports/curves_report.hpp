#pragma once

#include <cstddef>
#include <string>

#include "reports/curves_summary.hpp"

namespace stcsim {

/// Learning curves as text of at most `width` columns, where that can be: the answer, a line per
/// run, figures over the runs, notes.
[[nodiscard]] std::string curves_text(const CurvesSummary& summary, std::size_t width);

}  // namespace stcsim
