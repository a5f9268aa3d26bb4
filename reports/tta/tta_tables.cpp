#include "reports/tta/tta_tables.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/tta/tta_lines.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr const char* kNothing = "-";
constexpr double kUsInMs = 1000;

std::string between_text(const curves::Interval& interval) {
  return format_speedup(interval.low) + ".." + format_speedup(interval.high);
}

std::string hours_between(const std::optional<curves::Uncertain>& hours) {
  if (!hours) return kNothing;
  return hours->interval ? format_hours_range(*hours->interval) : format_hours(hours->value);
}

std::string reached_text(const TtaResult& result) {
  if (result.runs == 0) return kNothing;
  if (result.is_assumed) return "assumed";
  return fmt::format("{} of {}", result.reached, result.runs);
}

std::string spread_between(const std::optional<curves::Spread>& spread) {
  if (!spread) return kNothing;
  if (!spread->interval) return format_training(spread->mean);
  return format_training(spread->interval->low) + ".." + format_training(spread->interval->high);
}

std::string speedup_text(const TtaResult& result) {
  const auto& speedup = result.compared.speedup;
  if (!speedup) return result.scheme == kBaselineScheme ? "1" : kNothing;
  return format_speedup(speedup->value);
}

std::string metric_text(const std::optional<curves::Spread>& spread) {
  if (!spread) return kNothing;
  if (!spread->interval) return fmt::format("{:.4g}", spread->mean);
  return fmt::format("{:.4g}..{:.4g}", spread->interval->low, spread->interval->high);
}

std::string budget_text(const TtaResult& result) {
  return result.within_budget ? metric_text(result.within_budget->value) : kNothing;
}

std::string break_even_text(const TtaResult& result) {
  if (result.scheme == kBaselineScheme) return kNothing;
  return result.break_even ? format_significant(*result.break_even) : "never";
}

std::string speedup_between(const TtaResult& result) {
  const auto& speedup = result.compared.speedup;
  return speedup && speedup->interval ? between_text(*speedup->interval) : kNothing;
}

/// Short enough for a column.
std::string verdict_text(const TtaResult& result) {
  const curves::Verdict verdict = result.compared.verdict;
  if (verdict == curves::Verdict::baseline) return kNothing;
  if (verdict == curves::Verdict::dense_not_reached) return "dense: never";
  return verdict == curves::Verdict::not_told_apart ? "not told apart"
                                                    : std::string(to_string(verdict));
}

using Cells = std::function<std::string(const TtaResult&)>;

struct TtaColumn {
  Column column;
  Cells cell;
};

void add_target_columns(const TtaSummary& summary, std::vector<TtaColumn>& columns) {
  const std::string target = fmt::format("{:.6g}", *summary.question.curves.target);
  columns.push_back({{"reached"}, &reached_text});
  columns.push_back(
      {{fmt::format("{} to {}", axis_name(summary.question.over), target), Align::right},
       [](const TtaResult& result) { return spread_between(result.to_target); }});
}

void add_time_columns(std::vector<TtaColumn>& columns) {
  columns.push_back({{"time to it", Align::right},
                     [](const TtaResult& result) { return hours_between(result.hours); }});
  columns.push_back({{"speedup", Align::right}, &speedup_text});
  columns.push_back({{"between", Align::right, 2}, &speedup_between});
  columns.push_back({{"than dense"}, &verdict_text});
}

/// Columns of a table of schemes that have something to say.
std::vector<TtaColumn> scheme_columns(const TtaSummary& summary, bool with_evidence) {
  std::vector<TtaColumn> columns;
  columns.push_back({{"scheme"}, [](const TtaResult& result) { return result.scheme; }});
  const bool is_timed = summary.question.curves.target && !summary.curves.empty();
  if (is_timed) add_target_columns(summary, columns);
  columns.push_back({{"step", Align::right, is_timed ? 1 : 0}, [](const TtaResult& result) {
                       return format_time_us(result.step_ms * kUsInMs);
                     }});
  if (is_timed) {
    add_time_columns(columns);
  } else {
    columns.push_back({{"of dense", Align::right}, [](const TtaResult& result) {
                         return format_speedup(result.step_speedup);
                       }});
    columns.push_back({{"between", Align::right}, [](const TtaResult& result) {
                         return result.scheme == kBaselineScheme
                                    ? kNothing
                                    : between_text(result.step_speedup_between);
                       }});
    columns.push_back({{"training", Align::right}, [](const TtaResult& result) {
                         return result.training_hours ? format_hours(*result.training_hours)
                                                      : kNothing;
                       }});
  }
  columns.push_back({{"break-even", Align::right}, &break_even_text});
  if (with_evidence) {
    columns.push_back({{"evidence"}, [](const TtaResult& result) { return result.evidence; }});
  }
  return columns;
}

constexpr const char* kNoFigure = "-";

}  // namespace

std::vector<std::vector<const TtaResult*>> results_by_machine(const TtaSummary& summary) {
  std::vector<std::vector<const TtaResult*>> machines;
  for (const TtaResult& result : summary.results) {
    const bool is_new = machines.empty() || machines.back().front()->machine != result.machine;
    if (is_new) machines.emplace_back();
    machines.back().push_back(&result);
  }
  return machines;
}

Table schemes_table(const TtaSummary& summary, const std::vector<const TtaResult*>& results,
                    bool with_evidence) {
  const std::vector<TtaColumn> columns = scheme_columns(summary, with_evidence);
  std::vector<Column> headers;
  for (const TtaColumn& column : columns) headers.push_back(column.column);
  Table table(headers);
  for (const TtaResult* const result : results) {
    std::vector<std::string> cells;
    for (const TtaColumn& column : columns) cells.push_back(column.cell(*result));
    table.add_row(std::move(cells));
  }
  return table;
}

bool has_values(const std::vector<const TtaResult*>& results) {
  return std::any_of(results.begin(), results.end(), [](const TtaResult* result) {
    return result->curves != nullptr && result->curves->has_points();
  });
}

Table values_table(const TtaSummary& summary, const std::vector<const TtaResult*>& results) {
  const auto& budget = summary.question.budget_hours;
  std::vector<Column> columns{{"scheme"}};
  if (budget) columns.push_back({"in " + format_hours(*budget), Align::right});
  for (const char* const name : {"final", "less the other's", "p"}) {
    columns.push_back({name, Align::right});
  }
  columns.insert(columns.end(), {{"so"}, {"the other"}, {"on the front"}});
  Table table(columns);
  for (const TtaResult* const result : results) {
    if (result->curves == nullptr || !result->curves->has_points()) continue;
    const auto& difference = result->final_difference;
    std::vector<std::string> cells{result->scheme};
    if (budget) cells.push_back(budget_text(*result));
    cells.push_back(metric_text(result->curves->figures.final_value));
    cells.push_back(difference ? fmt::format("{:+.4g}", difference->mean) : kNothing);
    cells.push_back(difference ? fmt::format("{:.3g}", difference->p_value) : kNothing);
    cells.push_back(difference ? format_apart(*difference) : kNothing);
    cells.push_back(difference ? result->against : kNothing);
    cells.emplace_back(result->is_on_front.value_or(false) ? "yes" : "no");
    table.add_row(std::move(cells));
  }
  return table;
}

bool has_parts(const std::vector<const TtaResult*>& results) {
  for (const TtaResult* const result : results) {
    if (result->parts.size() > 1) return true;
  }
  return false;
}

Table parts_table(const std::vector<const TtaResult*>& results) {
  Table table({{"scheme"},
               {"part"},
               {"network"},
               {"epochs", Align::right},
               {"of the steps", Align::right},
               {"step", Align::right}});
  for (const TtaResult* const result : results) {
    if (result->parts.size() < 2) continue;
    for (const TtaPart& part : result->parts) {
      table.add_row({result->scheme, std::string(to_string(part.kind)), part.network,
                     part.epochs ? fmt::format("{:.4g}", *part.epochs) : kNothing,
                     format_percent(part.share), format_time_us(part.step_ms * kUsInMs)});
    }
  }
  return table;
}

Table comparisons_table(const TtaSummary& summary) {
  Table table({{"machine"},
               {"scheme"},
               {"against"},
               {"step of the other / step", Align::right},
               {"pruning free", Align::right},
               {"published", Align::right},
               {"published less time", Align::right},
               {"implied epochs", Align::right},
               {"pruning free", Align::right}});
  const auto ratio = [](const std::optional<double>& value) {
    return value ? format_speedup(*value) : std::string(kNoFigure);
  };
  for (const TtaComparison& comparison : summary.comparisons) {
    const SchemePair& pair = comparison.pair;
    table.add_row(
        {comparison.machine, pair.scheme, pair.against, format_speedup(comparison.step_ratio),
         format_speedup(comparison.step_ratio_pruning_free), ratio(pair.published_step_ratio),
         pair.published_less_time ? format_percent(*pair.published_less_time) : kNoFigure,
         ratio(comparison.implied_epochs), ratio(comparison.implied_epochs_pruning_free)});
  }
  return table;
}

Table measured_table(const TtaSummary& summary) {
  Table table({{"machine"},
               {"scheme"},
               {std::string(axis_name(summary.question.over)), Align::right},
               {"measured", Align::right},
               {"simulated", Align::right},
               {"between", Align::right},
               {"error", Align::right}});
  for (const TtaMeasured& row : summary.measured) {
    const double hours = row.measured.hours();
    table.add_row({row.measured.machine, row.measured.scheme, format_training(row.measured.x),
                   format_hours(hours), format_hours(row.simulated_hours),
                   format_hours_range(row.between),
                   fmt::format("{:+.1f} %", (row.simulated_hours / hours - 1) * 100)});
  }
  return table;
}

Table orderings_table(const TtaSummary& summary) {
  Table table({{"scheme"},
               {"against"},
               {"claimed", Align::left, 0, true},
               {"final value less the other's", Align::right},
               {"p", Align::right},
               {"least p", Align::right},
               {"so"}});
  for (const TtaOrdering& ordering : summary.orderings) {
    const SchemePair& pair = ordering.pair;
    const curves::Difference& difference = ordering.final_value;
    table.add_row({pair.scheme, pair.against, pair.claim.empty() ? kNoFigure : pair.claim,
                   fmt::format("{:+.4g}", difference.mean),
                   fmt::format("{:.3g}", difference.p_value),
                   fmt::format("{:.3g}", difference.least_p), format_apart(difference)});
  }
  return table;
}

}  // namespace stcsim
