#include "reports/validation/gemm_pictures.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "reports/error_svg.hpp"
#include "reports/scatter_svg.hpp"

namespace stcsim {
namespace {

constexpr double kGemmBand = 0.1;

struct Subject {
  Quantity quantity;
  const char* key;
  const char* title;
  const char* unit;
};
constexpr std::array<Subject, 3> kSubjects{
    {{Quantity::dense, "dense", "Dense GEMMs", "time, us"},
     {Quantity::sparse, "sparse", "Sparse GEMMs", "time, us"},
     {Quantity::speedup, "speedup", "Speedup of sparse over dense", "speedup"}}};

/// What errors are drawn over.
struct Abscissa {
  const char* key;
  const char* label;
  std::optional<double> (*value)(const ValidationRow&);
  /// Many rows have the same: how far apart series are drawn, pixels.
  double apart;
};

std::optional<double> dense_time_of(const ValidationRow& row) {
  return row.gemm.measured.dense_us ? row.gemm.measured.dense_us : row.simulated.dense_us;
}
template <std::int64_t GemmProblem::*size>
std::optional<double> size_of(const ValidationRow& row) {
  return static_cast<double>(row.gemm.problem.*size);
}
constexpr std::array<Abscissa, 4> kAbscissas{{{"time", "dense time, us", &dense_time_of, 0},
                                              {"m", "M", &size_of<&GemmProblem::m>, 4},
                                              {"n", "N", &size_of<&GemmProblem::n>, 4},
                                              {"k", "K", &size_of<&GemmProblem::k>, 4}}};

/// A point of a row, if it has one.
using PointOf = std::function<std::optional<std::pair<double, double>>(const ValidationRow&)>;

/// A series for each machine, in the order of their names.
std::vector<ScatterSeries> series_of(const std::vector<ValidationRow>& rows,
                                     const PointOf& point_of) {
  std::vector<ScatterSeries> series;
  for (const ValidationRow& row : rows) {
    const auto point = point_of(row);
    if (!point) continue;
    const auto is_it = [&](const ScatterSeries& one) { return one.name == row.machine; };
    auto found = std::find_if(series.begin(), series.end(), is_it);
    if (found == series.end()) found = series.insert(series.end(), {row.machine, {}});
    found->points.push_back(*point);
  }
  std::sort(series.begin(), series.end(),
            [](const ScatterSeries& a, const ScatterSeries& b) { return a.name < b.name; });
  return series;
}

}  // namespace

std::vector<GemmPicture> scatter_pictures(const std::vector<ValidationRow>& rows) {
  std::vector<GemmPicture> pictures;
  for (const Subject& subject : kSubjects) {
    const ScatterPlot plot{
        subject.title, fmt::format("measured {}", subject.unit),
        fmt::format("simulated {}", subject.unit), series_of(rows, [&](const ValidationRow& row) {
          return measured_and_predicted(row, subject.quantity, &ValidationRow::simulated);
        })};
    pictures.push_back({fmt::format("validation_{}.svg", subject.key), subject.title,
                        scatter_svg(plot, kGemmBand)});
  }
  return pictures;
}

std::vector<GemmPicture> gain_pictures(const std::vector<ValidationRow>& rows) {
  const auto gains_of = [&](RowUse use) {
    return series_of(rows, [=](const ValidationRow& row) {
      const bool counts = row.gemm.use == use && row.gemm.problem.a_pattern == Pattern{2, 4};
      return counts ? measured_and_predicted(row, Quantity::speedup, &ValidationRow::simulated)
                    : std::nullopt;
    });
  };
  ScatterPlot plot{fmt::format("Gain of 2:4 over dense, one point a GEMM; the band is {:g} % to "
                               "either side",
                               100 * kGemmBand),
                   "measured on the GPU, times as fast", "simulated, times as fast",
                   gains_of(RowUse::testing)};
  for (ScatterSeries& series : plot.series) series.name = "not fitted: " + series.name;
  ScatterSeries fitted{"fitted", {}, true};
  for (const ScatterSeries& series : gains_of(RowUse::fitting)) {
    fitted.points.insert(fitted.points.end(), series.points.begin(), series.points.end());
  }
  if (plot.series.empty() && fitted.points.empty()) return {};
  plot.series.push_back(std::move(fitted));
  return {{"validation_gains.svg", plot.title, scatter_svg(plot, kGemmBand)}};
}

std::vector<GemmPicture> error_pictures(const std::vector<ValidationRow>& rows) {
  std::vector<GemmPicture> pictures;
  for (const Subject& subject : kSubjects) {
    for (const Abscissa& over : kAbscissas) {
      const PointOf point_of =
          [&](const ValidationRow& row) -> std::optional<std::pair<double, double>> {
        const std::optional<double> error = error_of(row, subject.quantity);
        const std::optional<double> at = over.value(row);
        if (!error || !at || row.gemm.use == RowUse::shown) return std::nullopt;
        return std::pair(*at, 1.0 + *error);
      };
      const ScatterPlot plot{fmt::format("{}: error over {}", subject.title, over.label),
                             over.label, "error", series_of(rows, point_of)};
      if (plot.series.empty()) continue;
      pictures.push_back({fmt::format("validation_error_{}_{}.svg", subject.key, over.key),
                          plot.title, error_svg(plot, kGemmBand, over.apart)});
    }
  }
  return pictures;
}

}  // namespace stcsim
