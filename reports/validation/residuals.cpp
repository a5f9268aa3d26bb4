#include "reports/validation/residuals.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "reports/validation/counter_rows.hpp"
#include "reports/validation/fidelity.hpp"
#include "reports/validation/row_tables.hpp"
#include "reports/validation/selection.hpp"

namespace stcsim {
namespace {

/// To four digits behind the point: a hundredth of a per cent.
double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

std::string_view regime_name(GemmRegime regime) {
  return kGemmRegimes.at(static_cast<std::size_t>(regime));
}

/// Of the time that ran sparse, of dense rows the dense one.
GemmRegime row_regime(const ValidationRow& row, GemmFigure figure) {
  const GemmTimes& simulated = row.simulated;
  const auto& time = figure == GemmFigure::dense ? simulated.dense_us : simulated.sparse_us;
  return regime_of(row.gemm.problem.m, row.gemm.problem.n, time.value_or(0));
}

void add_gemm(std::vector<Residual>& residuals, const ValidationRow& row) {
  for (const GemmFigureName& name : kGemmFigures) {
    const auto point = measured_and_predicted(row, name.quantity, &ValidationRow::simulated);
    if (!point) continue;
    const auto& [measured, simulated] = *point;
    residuals.push_back({row.machine, std::string(to_string(row.gemm.problem.dtype)), name.key,
                         std::string(regime_name(row_regime(row, name.quantity))),
                         group_of(row.gemm), rounded(std::log(measured / simulated))});
  }
}

nlohmann::ordered_json object_of(const Residual& residual) {
  return figures({{"machine", residual.machine},
                  {"dtype", residual.dtype},
                  {"quantity", residual.quantity},
                  {"regime", residual.regime},
                  {"group", residual.group},
                  {"ln_measured_over_simulated", residual.log_ratio}});
}

nlohmann::ordered_json object_of(const ErrorCell& cell) {
  const auto end = [&](LogRange ErrorBand::*range,
                       double LogRange::*side) -> std::optional<double> {
    if (!cell.band) return std::nullopt;
    return rounded((*cell.band).*range.*side);
  };
  return figures({{"machine", cell.machine},
                  {"dtype", cell.dtype},
                  {"quantity", cell.quantity},
                  {"regime", cell.regime},
                  {"rows", cell.rows},
                  {"mean_absolute_error", rounded(cell.mean_absolute_error)},
                  {"bias", rounded(cell.bias)},
                  {"low_95", end(&ErrorBand::in_95, &LogRange::low)},
                  {"low_80", end(&ErrorBand::in_80, &LogRange::low)},
                  {"high_80", end(&ErrorBand::in_80, &LogRange::high)},
                  {"high_95", end(&ErrorBand::in_95, &LogRange::high)}});
}

template <class Row>
std::string table_text(const std::vector<Row>& rows) {
  std::vector<nlohmann::ordered_json> objects;
  for (const Row& row : rows) objects.push_back(object_of(row));
  return to_csv(object_of(Row()), objects);
}

}  // namespace

std::string group_of(const MeasuredGemm& gemm) {
  const bool names_network = !gemm.note.empty() && gemm.note.find(' ') == std::string::npos;
  return names_network ? gemm.note : fmt::format("{}x{}", gemm.problem.m, gemm.problem.k);
}

std::vector<Residual> residuals_of(const ValidationResults& results) {
  std::vector<Residual> residuals;
  for (const ValidationRow& row : results.gemms) {
    if (!row.skipped.empty() || !is_scored(row.gemm.use)) continue;
    if (size_class(row) == SizeClass::large) add_gemm(residuals, row);
  }
  for (const NetworkRow* const row : dense_steps(results.networks)) {
    const MeasuredNetwork& measured = row->measured;
    residuals.push_back(
        {row->machine, "", "step", measured.framework, measured.model,
         rounded(std::log(*measured.measured.dense_us / *row->simulated.dense_us))});
  }
  for (const StreamRow& row : results.streams) {
    if (!row.time_us) continue;
    residuals.push_back({row.machine, "", "stream", "", row.measured.op,
                         rounded(std::log(row.measured.time_us / *row.time_us))});
  }
  return residuals;
}

std::string residuals_csv(const std::vector<Residual>& residuals) {
  return table_text(residuals);
}

std::string error_cells_csv(const ValidationResults& results) {
  std::vector<ErrorCell> cells = error_cells(residuals_of(results), results.errors.dies);
  for (const Selection& one : selections(results.gemms)) {
    cells.push_back({one.machine, std::string(to_string(one.dtype)), "selection", "", one.rows,
                     std::abs(one.excess()), one.excess()});
  }
  const std::vector<ErrorCell> counted = counter_cells(results.counters);
  cells.insert(cells.end(), counted.begin(), counted.end());
  return table_text(cells);
}

}  // namespace stcsim
