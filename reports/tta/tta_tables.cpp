#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/tta/tta_report.hpp"
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
  if (result.predicted) {
    return result.reached > 0 ? "by its loss"
                              : fmt::format("ends {:.4g}", result.predicted->crossing.end);
  }
  if (result.compared.verdict == curves::Verdict::unknown) return "unknown";
  if (result.runs == 0) return kNothing;
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
  return verdict == curves::Verdict::not_told_apart ? "unclear" : std::string(to_string(verdict));
}

std::string mean_text(const curves::Difference& difference) {
  return fmt::format("{:+.4g}", difference.mean);
}

std::string p_text(const curves::Difference& difference) {
  return fmt::format("{:.3g}", difference.p_value);
}

using TtaColumn = DescribedColumn<TtaResult>;

/// Columns of a table of schemes that have something to say.
std::vector<TtaColumn> scheme_columns(const TtaSummary& summary, bool with_evidence) {
  using Result = TtaResult;
  const bool is_timed = summary.question.curves.target && !summary.curves.empty();
  std::vector<TtaColumn> columns{{{"scheme"}, [](const Result& one) { return one.scheme; }}};
  const auto add = [&](Column column, std::function<std::string(const Result&)> cell) {
    columns.push_back({std::move(column), std::move(cell)});
  };
  if (is_timed) {
    add({"reached"}, &reached_text);
    add({fmt::format("{} to it", to_string(summary.question.over)), Align::right, 1},
        [](const Result& one) { return spread_between(one.to_target); });
  }
  add({"step", Align::right, is_timed ? 2 : 0},
      [](const Result& one) { return format_time_us(one.step.ms * kUsInMs); });
  if (is_timed) {
    add({"time to it", Align::right}, [](const Result& one) { return hours_between(one.hours); });
    add({std::string(kSpeedupKey.name), Align::right}, &speedup_text);
    add({"likely", Align::right, 3}, &speedup_between);
    add({"verdict"}, &verdict_text);
    if (summary.is_of_ends()) {
      add({"whole run", Align::right}, [](const Result& one) {
        return one.training_hours ? format_hours(*one.training_hours) : kNothing;
      });
      add({"pays below", Align::right}, [](const Result& one) {
        return one.most_loss ? fmt::format("+{:.3f}", *one.most_loss) : kNothing;
      });
    }
  } else {
    add({"of dense", Align::right},
        [](const Result& one) { return format_speedup(one.step.speedup); });
    add({"likely", Align::right}, [](const Result& one) {
      return one.scheme == kBaselineScheme ? kNothing : between_text(one.step.speedup_between);
    });
    add({"training", Align::right}, [](const Result& one) {
      return one.training_hours ? format_hours(*one.training_hours) : kNothing;
    });
  }
  add({"break-even", Align::right}, &break_even_text);
  if (with_evidence) add({"evidence"}, [](const Result& one) { return one.evidence; });
  return columns;
}

}  // namespace

std::vector<TtaResults> results_by_machine(const TtaSummary& summary) {
  return groups_of(summary.results, [](const TtaResult& one, const TtaResult& other) {
    return one.machine == other.machine;
  });
}

Table schemes_table(const TtaSummary& summary, const TtaResults& results, bool with_evidence) {
  return table_of(scheme_columns(summary, with_evidence), results);
}

bool has_values(const TtaResults& results) {
  return std::ranges::any_of(results, [](const TtaResult* one) { return one->has_points(); });
}

Table values_table(const TtaSummary& summary, const TtaResults& results) {
  using Result = TtaResult;
  const auto& budget = summary.question.budget_hours;
  std::vector<TtaColumn> columns{{{"scheme"}, [](const Result& one) { return one.scheme; }}};
  if (budget) {
    columns.push_back({{"in " + format_hours(*budget), Align::right}, [](const Result& one) {
                         return one.within_budget ? metric_text(one.within_budget->value)
                                                  : kNothing;
                       }});
  }
  const auto of_difference = [](const Result& one, auto format) {
    return one.final_difference ? format(*one.final_difference) : std::string(kNothing);
  };
  columns.insert(
      columns.end(),
      {{{"final", Align::right},
        [](const Result& one) { return metric_text(one.curves->figures.final_value); }},
       {{"less the other's", Align::right},
        [=](const Result& one) { return of_difference(one, &mean_text); }},
       {{"p", Align::right}, [=](const Result& one) { return of_difference(one, &p_text); }},
       {{"so"}, [=](const Result& one) { return of_difference(one, &format_apart); }},
       {{"the other"},
        [](const Result& one) { return one.final_difference ? one.against : kNothing; }},
       {{"on the front"}, [](const Result& one) {
          return std::string(one.is_on_front.value_or(false) ? "yes" : "no");
        }}});
  std::vector<const Result*> with_points;
  std::ranges::copy_if(results, std::back_inserter(with_points),
                       [](const Result* one) { return one->has_points(); });
  return table_of(columns, with_points);
}

bool has_parts(const TtaResults& results) {
  return std::ranges::any_of(results, [](const TtaResult* one) { return one->parts.size() > 1; });
}

Table parts_table(const TtaResults& results) {
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
  using Pair = TtaComparison;
  const auto ratio = [](const std::optional<double>& value) {
    return value ? format_speedup(*value) : std::string(kNothing);
  };
  const auto less_time = [](const Pair& one) {
    const auto& share = one.pair.published_less_time;
    return share ? format_percent(*share) : std::string(kNothing);
  };
  const std::vector<DescribedColumn<Pair>> columns{
      {{"machine"}, [](const Pair& one) { return one.machine; }},
      {{"scheme"}, [](const Pair& one) { return one.pair.scheme; }},
      {{"against"}, [](const Pair& one) { return one.pair.against; }},
      {{"step of the other / step", Align::right},
       [=](const Pair& one) { return ratio(one.step_ratio); }},
      {{"without pruning", Align::right},
       [=](const Pair& one) { return ratio(one.step_ratio_pruning_free); }},
      {{"published", Align::right},
       [=](const Pair& one) { return ratio(one.pair.published_step_ratio); }},
      {{"published less time", Align::right}, less_time},
      {{"implied epochs", Align::right},
       [=](const Pair& one) { return ratio(one.implied_epochs(one.step_ratio)); }},
      {{"without pruning", Align::right},
       [=](const Pair& one) { return ratio(one.implied_epochs(one.step_ratio_pruning_free)); }}};
  return table_of(columns, summary.comparisons);
}

Table measured_table(const TtaSummary& summary) {
  using Row = TtaMeasured;
  const std::vector<DescribedColumn<Row>> columns{
      {{"machine"}, [](const Row& row) { return row.measured.machine; }},
      {{"scheme"}, [](const Row& row) { return row.measured.scheme; }},
      {{std::string(to_string(summary.question.over)), Align::right},
       [](const Row& row) { return format_training(row.measured.x); }},
      {{"measured", Align::right},
       [](const Row& row) { return format_hours(row.measured.hours()); }},
      {{"simulated", Align::right},
       [](const Row& row) { return format_hours(row.simulated_hours); }},
      {{"likely", Align::right}, [](const Row& row) { return format_hours_range(row.between); }},
      {{"error", Align::right}, [](const Row& row) {
         return fmt::format("{:+.1f} %", (row.simulated_hours / row.measured.hours() - 1) * 100);
       }}};
  return table_of(columns, summary.measured);
}

Table orderings_table(const TtaSummary& summary) {
  using Row = TtaOrdering;
  const std::vector<DescribedColumn<Row>> columns{
      {{"scheme"}, [](const Row& row) { return row.pair.scheme; }},
      {{"against"}, [](const Row& row) { return row.pair.against; }},
      {{"claimed", Align::left, 0, true},
       [](const Row& row) { return row.pair.claim.empty() ? kNothing : row.pair.claim; }},
      {{"final value less the other's", Align::right},
       [](const Row& row) { return mean_text(row.final_value); }},
      {{"p", Align::right}, [](const Row& row) { return p_text(row.final_value); }},
      {{"least p", Align::right},
       [](const Row& row) { return fmt::format("{:.3g}", row.final_value.least_p); }},
      {{"so"}, [](const Row& row) { return format_apart(row.final_value); }}};
  return table_of(columns, summary.orderings);
}

}  // namespace stcsim
