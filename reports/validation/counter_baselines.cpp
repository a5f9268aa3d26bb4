#include "reports/validation/counter_baselines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "common/counts.hpp"
#include "common/io/format.hpp"
#include "reports/validation/kernel_name.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kTerms = 5;
constexpr std::size_t kLeastRows = kTerms + 1;

/// 1, and the logarithms of M, N, K and the tiles of the kernel that ran.
using Terms = std::array<double, kTerms>;

Terms terms_of(const CounterRow& row) {
  const GemmProblem& problem = row.measured.problem;
  const KernelName name = kernel_name(row.measured.kernel).value();
  const auto [rows, columns] =
      name.is_transposed ? std::pair(problem.n, problem.m) : std::pair(problem.m, problem.n);
  const std::int64_t tiles = ceil_div(rows, name.tile_m) * ceil_div(columns, name.tile_n);
  const auto log_of = [](std::int64_t count) { return std::log(static_cast<double>(count)); };
  return {1, log_of(problem.m), log_of(problem.n), log_of(problem.k), log_of(tiles)};
}

double cycles_of(const CounterRow& row) {
  return *row.measured.counted.cycles;
}

/// A line of equations: what the unknowns are multiplied with, and the sum.
using Equation = std::array<double, kTerms + 1>;

/// Gauss's elimination, the largest factor first.
Terms solution_of(std::array<Equation, kTerms> equations) {
  for (std::size_t at = 0; at < kTerms; ++at) {
    const auto largest = std::max_element(
        equations.begin() + static_cast<std::ptrdiff_t>(at), equations.end(),
        [&](const Equation& a, const Equation& b) { return std::abs(a[at]) < std::abs(b[at]); });
    std::swap(equations[at], *largest);
    for (std::size_t other = 0; other < kTerms; ++other) {
      if (other == at) continue;
      const double times = equations[other][at] / equations[at][at];
      for (std::size_t i = at; i <= kTerms; ++i) equations[other][i] -= times * equations[at][i];
    }
  }
  Terms solution{};
  for (std::size_t at = 0; at < kTerms; ++at)
    solution[at] = equations[at][kTerms] / equations[at][at];
  return solution;
}

/// The numbers whose sum of squared errors in the logarithm of the cycles is least.
Terms regression_over(const std::vector<const CounterRow*>& rows) {
  std::array<Equation, kTerms> equations{};
  for (const CounterRow* const row : rows) {
    const Terms terms = terms_of(*row);
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) equations[i][j] += terms[i] * terms[j];
      equations[i][kTerms] += terms[i] * std::log(cycles_of(*row));
    }
  }
  constexpr double kApart = 1e-12;  // keeps terms apart that depend on each other
  for (std::size_t i = 0; i < kTerms; ++i) equations[i][i] += kApart;
  return solution_of(equations);
}

double by_regression(const CounterRow& row, const Terms& numbers) {
  const Terms terms = terms_of(row);
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += terms[i] * numbers[i];
  return std::exp(sum);
}

/// The cycles of the row that is nearest, times the multiplications.
double by_nearest(const CounterRow& row, const std::vector<const CounterRow*>& known) {
  const Terms terms = terms_of(row);
  double least = std::numeric_limits<double>::infinity();
  double cycles = 0;
  for (const CounterRow* const other : known) {
    const Terms theirs = terms_of(*other);
    double distance = 0;
    for (const std::size_t size : {1U, 2U, 3U}) {
      distance += (terms[size] - theirs[size]) * (terms[size] - theirs[size]);
    }
    if (distance >= least) continue;
    least = distance;
    cycles = cycles_of(*other) * static_cast<double>(row.measured.problem.macs()) /
             static_cast<double>(other->measured.problem.macs());
  }
  return cycles;
}

/// The rows of a group.
struct Kind {
  std::vector<const CounterRow*> fitting;
  std::vector<const CounterRow*> testing;
};

std::vector<Kind> kinds_of(const std::vector<CounterRow>& rows, bool sparse) {
  std::map<CounterGroup, Kind> kinds;
  for (const CounterRow& row : rows) {
    if (!row.as_measured.counted.cycles) continue;
    if (row.measured.problem.a_pattern.is_dense() == sparse) continue;
    const CounterGroup group = group_of(row);
    if (!group.is_long || group.segments_k) continue;
    Kind& kind = kinds[group];
    if (row.measured.use == RowUse::fitting) kind.fitting.push_back(&row);
    if (row.measured.use == RowUse::testing) kind.testing.push_back(&row);
  }
  std::vector<Kind> enough;
  for (auto& [key, kind] : kinds) {
    if (kind.fitting.size() >= kLeastRows) enough.push_back(std::move(kind));
  }
  return enough;
}

}  // namespace

BaselineErrors baseline_errors(const std::vector<CounterRow>& rows, bool sparse) {
  std::vector<std::pair<double, double>> simulated;
  std::vector<std::pair<double, double>> roofline;
  std::vector<std::pair<double, double>> nearest;
  std::vector<std::pair<double, double>> regression;
  for (const Kind& kind : kinds_of(rows, sparse)) {
    const Terms numbers = regression_over(kind.fitting);
    for (const CounterRow* const row : kind.testing) {
      const double counted = cycles_of(*row);
      simulated.emplace_back(counted, *row->as_measured.counted.cycles);
      roofline.emplace_back(counted, row->roofline_cycles);
      nearest.emplace_back(counted, by_nearest(*row, kind.fitting));
      regression.emplace_back(counted, by_regression(*row, numbers));
    }
  }
  return {error_statistics(simulated), error_statistics(roofline), error_statistics(nearest),
          error_statistics(regression)};
}

Table baseline_table(const std::vector<CounterRow>& rows) {
  Table table({{"cycles of"},
               {"rows", Align::right},
               {"simulated", Align::right},
               {"roofline", Align::right},
               {"nearest GEMM", Align::right},
               {"regression", Align::right}});
  for (const bool sparse : {false, true}) {
    const BaselineErrors errors = baseline_errors(rows, sparse);
    if (errors.simulated.rows == 0) continue;
    const auto cell = [](const ErrorSummary& error) { return format_percent(error.mean_absolute); };
    table.add_row({sparse ? "sparse kernels" : "dense kernels",
                   std::to_string(errors.simulated.rows), cell(errors.simulated),
                   cell(errors.roofline), cell(errors.nearest), cell(errors.regression)});
  }
  return table;
}

}  // namespace stcsim
