#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/counter_rows.hpp"
#include "reports/validation/errors.hpp"

namespace stcsim {
namespace {

/// "2:4, short".
std::string cell_regime(const CounterGroup& group) {
  const char* const which = group.segments_k ? ", k cut" : group.is_long ? "" : ", short";
  return group.pattern + which;
}

using Points = std::vector<std::pair<double, double>>;

Points points_of(const std::vector<const CounterRow*>& rows,
                 std::optional<double> LaunchCounters::*value,
                 SimulatedCounters CounterRow::*kernel) {
  Points points;
  for (const CounterRow* const row : rows) {
    const auto measured = row->measured.counted.*value;
    const auto simulated = (row->*kernel).counted.*value;
    if (measured && simulated && *measured > 0) points.emplace_back(*measured, *simulated);
  }
  return points;
}

using Groups = std::map<CounterGroup, std::vector<const CounterRow*>>;

Groups scored_groups(const std::vector<CounterRow>& rows) {
  Groups groups;
  for (const CounterRow& row : rows) {
    if (!row.skipped.empty() || *row.measured.counted.cycles < kLeastCycles) continue;
    if (is_scored(row.measured.use)) groups[group_of(row)].push_back(&row);
  }
  return groups;
}

/// With the kernels that ran, and with those chosen.
struct GroupErrors {
  ErrorSummary named;
  ErrorSummary own;
};

GroupErrors errors_of(const std::vector<const CounterRow*>& rows, const CounterFigure& figure) {
  return {error_statistics(points_of(rows, figure.value, &CounterRow::as_measured)),
          error_statistics(points_of(rows, figure.value, &CounterRow::chosen))};
}

}  // namespace

std::vector<ErrorCell> counter_cells(const std::vector<CounterRow>& rows) {
  std::vector<ErrorCell> cells;
  for (const auto& [group, of_group] : scored_groups(rows)) {
    for (const CounterFigure& figure : kCounterFigures) {
      const GroupErrors errors = errors_of(of_group, figure);
      const auto add = [&, &key = group](const char* own, const ErrorSummary& of_kernels) {
        if (of_kernels.rows == 0) return;
        cells.push_back({key.machine,
                         key.dtype,
                         fmt::format("{}{}", own, figure.key),
                         cell_regime(key),
                         of_kernels.rows,
                         of_kernels.mean_absolute,
                         of_kernels.bias,
                         {}});
      };
      add("", errors.named);
      add("own ", errors.own);
    }
  }
  return cells;
}

Table counter_table(const std::vector<CounterRow>& rows) {
  Table table({{"rows of"},
               {"counter"},
               {"rows", Align::right},
               {"mean error", Align::right},
               {"bias", Align::right},
               {"own choice", Align::right},
               {"bias", Align::right}});
  for (const auto& [group, of_group] : scored_groups(rows)) {
    for (const CounterFigure& figure : kCounterFigures) {
      const auto& [named, own] = errors_of(of_group, figure);
      if (own.rows == 0) continue;
      const bool has_names = named.rows > 0;
      table.add_row({fmt::format("{} {} {}", group.machine, group.dtype, cell_regime(group)),
                     figure.title, std::to_string(has_names ? named.rows : own.rows),
                     has_names ? format_percent(named.mean_absolute) : "-",
                     has_names ? error_cell(named.bias) : "-", format_percent(own.mean_absolute),
                     error_cell(own.bias)});
    }
  }
  return table;
}

std::string counter_summary(const std::vector<CounterRow>& rows) {
  std::map<bool, std::vector<const CounterRow*>> groups;  // by whether it is sparse
  for (const CounterRow& row : rows) {
    if (!row.skipped.empty() || !is_scored(row.measured.use)) continue;
    const CounterGroup group = group_of(row);
    if (!group.is_long || group.segments_k) continue;
    groups[!row.measured.problem.a_pattern.is_dense()].push_back(&row);
  }
  std::string sentences;
  for (const auto& group : groups) {
    const std::vector<const CounterRow*>& of_group = group.second;
    const auto errors_in = [&](std::optional<double> LaunchCounters::*value) {
      return error_statistics(points_of(of_group, value, &CounterRow::as_measured));
    };
    const ErrorSummary cycles = errors_in(&LaunchCounters::cycles);
    if (cycles.rows == 0) continue;
    if (!sentences.empty()) sentences += " ";
    sentences += fmt::format(
        "Of {} {} kernels of {} cycles and more, simulated cycles are {} off in "
        "the mean ({}).",
        cycles.rows, group.first ? "sparse" : "dense",
        format_count(static_cast<std::int64_t>(kLongCycles)), format_percent(cycles.mean_absolute),
        error_cell(cycles.bias));
    const ErrorSummary clocks = errors_in(&LaunchCounters::row_mhz);
    if (clocks.rows == 0) continue;
    sentences += fmt::format(" The clock of {} of them in a row is {} off ({}).", clocks.rows,
                             format_percent(clocks.mean_absolute), error_cell(clocks.bias));
  }
  return sentences;
}

Table counter_rows_table(const std::vector<CounterRow>& rows) {
  Table table({{"line", Align::right},
               {"machine"},
               {"type"},
               {"pattern"},
               {"M x N x K"},
               {"cycles", Align::right},
               {"error", Align::right},
               {"own choice", Align::right}});
  for (const CounterRow& row : rows) {
    if (!row.skipped.empty()) continue;
    const MeasuredCounters& measured = row.measured;
    const GemmProblem& problem = measured.problem;
    const auto error = [&](const SimulatedCounters& simulated) {
      return error_cell(relative_error(simulated.counted.cycles, measured.counted.cycles));
    };
    table.add_row({std::to_string(measured.where.line), row.machine,
                   std::string(to_string(problem.dtype)), measured.pattern,
                   format_shape(problem.m, problem.n, problem.k, problem.batch_count),
                   value_cell(measured.counted.cycles), error(row.as_measured), error(row.chosen)});
  }
  return table;
}

}  // namespace stcsim
