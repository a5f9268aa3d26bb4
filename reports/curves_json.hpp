#pragma once

#include <string>
#include <string_view>

#include "reports/curves_summary.hpp"

namespace stcsim {

inline constexpr std::string_view kCurvesSchema = "stcsim.curves/1";

/// The summary as a JSON document; docs/accuracy.md lists the keys. What does not apply is null.
[[nodiscard]] std::string curves_to_json(const CurvesSummary& summary);

/// The measured points as CSV, a line each: run, metric, over, x, value; of the metric chosen, or
/// of all.
[[nodiscard]] std::string curves_to_csv(const CurvesSummary& summary);

}  // namespace stcsim
