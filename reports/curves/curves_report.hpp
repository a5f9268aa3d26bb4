#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "curves/analysis.hpp"
#include "curves/run.hpp"
#include "curves/time_to_accuracy.hpp"

namespace stcsim {

/// What `stcsim tta --curves-only` has to say of the runs it read.
struct CurvesSummary {
  std::vector<curves::Run> runs;
  std::vector<curves::Note> notes;
  /// With a metric that was asked for, or the only one.
  std::optional<curves::AnalysisOptions> options;
  curves::Axis axis = curves::Axis::epochs;
  std::optional<curves::SetFigures> figures;
  /// The runs of --against and how they differ.
  std::optional<curves::SetFigures> against;
  std::optional<curves::Difference> final_difference;
  std::optional<curves::Difference> crossing_difference;
  std::string config_hash;
};

/// Learning curves as text of at most `width` columns, where that can be: the answer, a line per
/// run, figures over the runs, notes.
[[nodiscard]] std::string curves_text(const CurvesSummary& summary, std::size_t width);

inline constexpr std::string_view kCurvesSchema = "stcsim.curves/1";

/// The summary as JSON; docs/reference/results.md lists the keys. What does not apply is null.
[[nodiscard]] std::string curves_to_json(const CurvesSummary& summary);

/// A point of a mean curve.
[[nodiscard]] nlohmann::ordered_json mean_point_json(const curves::MeanPoint& point);

/// The measured points as CSV, a line each: run, metric, over, x, value; of the metric chosen, or
/// of all.
[[nodiscard]] std::string curves_to_csv(const CurvesSummary& summary);

}  // namespace stcsim
