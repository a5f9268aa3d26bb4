#pragma once

#include <optional>
#include <string>
#include <vector>

#include "curves/analysis.hpp"
#include "curves/run.hpp"

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
  std::optional<curves::SetComparison> comparison;
  std::string config_hash;
};

}  // namespace stcsim
