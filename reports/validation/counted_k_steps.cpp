#include "reports/validation/counted_k_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/validation/cells.hpp"

namespace stcsim {
namespace {

double k_steps_of(const CounterRow& row) {
  return static_cast<double>(row.measured.problem.k) /
         static_cast<double>(row.as_measured.kernel.tile_k);
}

CountedKStep k_step_of(const CounterRow& first, const CounterRow& last) {
  CountedKStep step{&first, &last};
  step.tiles_in_turn = std::llround(std::ceil(last.as_measured.kernel.waves));
  const double steps =
      (k_steps_of(last) - k_steps_of(first)) * static_cast<double>(step.tiles_in_turn);
  const auto multiplying = [](const CounterRow& row) {
    return *row.as_measured.counted.busy * *row.as_measured.counted.cycles;
  };
  step.counted_cycles = (*last.measured.counted.cycles - *first.measured.counted.cycles) / steps;
  step.simulated_cycles =
      (*last.as_measured.counted.cycles - *first.as_measured.counted.cycles) / steps;
  // Shares of multipliers are of all SMs, also where the last wave leaves some without a tile.
  step.multiply_cycles = (multiplying(last) - multiplying(first)) / steps *
                         static_cast<double>(step.tiles_in_turn) / last.as_measured.kernel.waves;
  return step;
}

std::string percent_or_none(const std::optional<double>& share) {
  return share ? format_percent(*share) : "-";
}

/// Bytes a clock that an SM gets in the mean of a launch.
std::string bytes_per_clk(const CounterRow& row, const LaunchCounters& counted) {
  const KernelReport& kernel = row.as_measured.kernel;
  if (!counted.sm_bytes || !counted.cycles || kernel.waves <= 0) return "-";
  const double sms =
      std::min(static_cast<double>(kernel.ctas), static_cast<double>(kernel.ctas) / kernel.waves);
  return fmt::format("{:.1f}", *counted.sm_bytes / *counted.cycles / sms);
}

}  // namespace

std::vector<CountedKStep> counted_k_steps(const std::vector<CounterRow>& rows) {
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>,
           std::map<std::int64_t, const CounterRow*>>
      shapes;
  for (const CounterRow& row : rows) {
    const MeasuredCounters& measured = row.measured;
    if (!row.as_measured.counted.cycles || measured.counted.cycles < kLeastCycles) continue;
    shapes[{row.machine, measured.kernel, measured.problem.m, measured.problem.n}].emplace(
        measured.problem.k, &row);
  }
  std::vector<CountedKStep> steps;
  for (const auto& [shape, of_k] : shapes) {
    if (of_k.size() > 1) steps.push_back(k_step_of(*of_k.begin()->second, *of_k.rbegin()->second));
  }
  return steps;
}

Table k_step_table(const std::vector<CounterRow>& rows) {
  Table table({{"rows of"},
               {"tile"},
               {"M x N"},
               {"K"},
               {"counted", Align::right},
               {"simulated", Align::right},
               {"error", Align::right},
               {"multiplying", Align::right},
               {"busy, counted", Align::right},
               {"simulated", Align::right},
               {"bytes/clk to an SM, counted", Align::right},
               {"simulated", Align::right}});
  for (const CountedKStep& step : counted_k_steps(rows)) {
    const CounterRow& last = *step.last;
    const GemmProblem& problem = last.measured.problem;
    const LaunchCounters& counted = last.measured.counted;
    const LaunchCounters& simulated = last.as_measured.counted;
    table.add_row(
        {fmt::format("{} {} {}", last.machine, to_string(problem.dtype), last.measured.pattern),
         last.as_measured.kernel.tile(), fmt::format("{}×{}", problem.m, problem.n),
         fmt::format("{} to {}", step.first->measured.problem.k, problem.k),
         fmt::format("{:.0f}", step.counted_cycles), fmt::format("{:.0f}", step.simulated_cycles),
         error_cell(step.error()), fmt::format("{:.0f}", step.multiply_cycles),
         percent_or_none(counted.busy), percent_or_none(simulated.busy),
         bytes_per_clk(last, counted), bytes_per_clk(last, simulated)});
  }
  return table;
}

}  // namespace stcsim
