#include "reports/validation/validation_result.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace stcsim {
namespace {

/// Pearson's r of pairs.
std::optional<double> correlation_of(const std::vector<std::pair<double, double>>& points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    yy += (y - mean_y) * (y - mean_y);
    xy += (x - mean_x) * (y - mean_y);
  }
  if (xx <= 0 || yy <= 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

bool is_selected(const MeasuredGemm& gemm, const ErrorSelection& selection) {
  if (!selection.gpu.empty() && gemm.gpu != selection.gpu) return false;
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

std::optional<double> relative_error(const std::optional<double>& simulated,
                                     const std::optional<double>& measured) {
  if (!simulated || !measured) return std::nullopt;
  return *simulated / *measured - 1.0;
}

std::optional<double> value_of(const GemmTimes& times, Quantity quantity) {
  if (quantity == Quantity::dense) return times.dense_us;
  return quantity == Quantity::sparse ? times.sparse_us : times.speedup;
}

std::optional<double> error_of(const ValidationRow& row, Quantity quantity) {
  return relative_error(value_of(row.simulated, quantity), value_of(row.gemm.measured, quantity));
}

ErrorSummary summarise_errors(const std::vector<ValidationRow>& rows,
                              const ErrorSelection& selection, Quantity quantity) {
  ErrorSummary summary;
  std::vector<std::pair<double, double>> points;
  for (const ValidationRow& row : rows) {
    if (!is_selected(row.gemm, selection)) continue;
    const std::optional<double> predicted = value_of(row.*selection.predicted, quantity);
    const std::optional<double> measured = value_of(row.gemm.measured, quantity);
    const std::optional<double> error = relative_error(predicted, measured);
    if (!error) continue;
    summary.mean_absolute += std::abs(*error);
    summary.bias += *error;
    points.emplace_back(*measured, *predicted);
  }
  summary.rows = static_cast<std::int64_t>(points.size());
  if (points.empty()) return summary;
  summary.mean_absolute /= static_cast<double>(points.size());
  summary.bias /= static_cast<double>(points.size());
  summary.correlation = correlation_of(points);
  return summary;
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
  const auto has = [&](RowUse use) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const ValidationRow& row) { return row.gemm.use == use; });
  };
  if (has(RowUse::fitting)) {
    selections.push_back({"all, fitting", {"", RowUse::fitting}});
    selections.push_back({"all, testing", {"", RowUse::testing}});
  }
  if (has(RowUse::shown)) selections.push_back({"all, not scored", {"", RowUse::shown}});
  selections.push_back({"all, by a roofline", {"", std::nullopt, &ValidationRow::roofline}});
  return selections;
}

}  // namespace stcsim
