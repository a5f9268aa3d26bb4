#include "reports/validation/validation_result.hpp"

#include <algorithm>
#include <filesystem>

namespace stcsim {
namespace {

bool is_selected(const MeasuredGemm& gemm, const ErrorSelection& selection) {
  if (!selection.gpu.empty() && gemm.gpu != selection.gpu) return false;
  if (selection.selects_columns && !gemm.problem.a_pattern.selects_columns()) return false;
  return selection.use ? gemm.use == *selection.use : gemm.use != RowUse::shown;
}

}  // namespace

std::string_view to_string(RowUse use) {
  switch (use) {
    case RowUse::fitting:
      return "fitting";
    case RowUse::testing:
      return "testing";
    case RowUse::shown:
      break;
  }
  return "shown";
}

std::string table_of(const MeasuredGemm& gemm) {
  return std::filesystem::path(gemm.where.file).filename().string();
}

std::optional<double> value_of(const GemmTimes& times, GemmFigure quantity) {
  if (quantity == GemmFigure::dense) return times.dense_us;
  return quantity == GemmFigure::sparse ? times.sparse_us : times.speedup;
}

std::optional<double> error_of(const ValidationRow& row, GemmFigure quantity) {
  return relative_error(value_of(row.simulated, quantity), value_of(row.gemm.measured, quantity));
}

std::optional<std::pair<double, double>> measured_and_predicted(
    const ValidationRow& row, GemmFigure quantity, GemmTimes ValidationRow::*predicted) {
  const std::optional<double> measured = value_of(row.gemm.measured, quantity);
  const std::optional<double> value = value_of(row.*predicted, quantity);
  if (!measured || !value) return std::nullopt;
  return std::pair(*measured, *value);
}

ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows,
                              const ErrorSelection& selection, GemmFigure quantity) {
  std::vector<std::pair<double, double>> points;
  for (const ValidationRow& row : rows) {
    if (!is_selected(row.gemm, selection)) continue;
    const auto point = measured_and_predicted(row, quantity, selection.predicted);
    if (point) points.push_back(*point);
  }
  return error_statistics(points);
}

std::vector<NamedSelection> reported_selections(const std::vector<ValidationRow>& rows) {
  std::vector<NamedSelection> selections;
  for (const ValidationRow& row : rows) {
    const std::string& gpu = row.gemm.gpu;
    const auto is_it = [&](const NamedSelection& one) { return one.name == gpu; };
    if (std::any_of(selections.begin(), selections.end(), is_it)) continue;
    selections.push_back({gpu, {gpu}});
  }
  selections.push_back({"all", {}});
  const auto has = [&](const ErrorSelection& some) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const ValidationRow& row) { return is_selected(row.gemm, some); });
  };
  const ErrorSelection fitting{"", RowUse::fitting};
  const ErrorSelection shown{"", RowUse::shown};
  const ErrorSelection columns{"", std::nullopt, &ValidationRow::simulated, true};
  if (has(fitting)) {
    selections.push_back({"all, fitting", fitting});
    selections.push_back({"all, testing", {"", RowUse::testing}});
  }
  if (has(columns)) selections.push_back({"all, V:2:m", columns});
  if (has(shown)) selections.push_back({"all, not scored", shown});
  selections.push_back({"all, by a roofline", {"", std::nullopt, &ValidationRow::roofline}});
  return selections;
}

}  // namespace stcsim
