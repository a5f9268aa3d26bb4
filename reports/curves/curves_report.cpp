#include "reports/curves/curves_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

using curves::AnalysisOptions;
using curves::Difference;
using curves::Reaching;
using curves::Run;
using curves::RunFigures;
using curves::SetFigures;
using curves::Spread;

/// Six significant digits; large ones whole.
std::string curve_number(double value) {
  constexpr double kLarge = 1e5;
  constexpr double kLargest = 1e15;
  if (std::abs(value) < kLarge || std::abs(value) > kLargest) return fmt::format("{:.6g}", value);
  return format_count(std::llround(value));
}

std::string curve_range(double low, double high) {
  return fmt::format("{} to {}", curve_number(low), curve_number(high));
}

/// Bytes at the front of all names that are folders they share.
std::size_t shared_folders(const std::vector<Run>& runs) {
  std::size_t shared = runs.front().name.size();
  for (const Run& run : runs) {
    const std::string& first = runs.front().name;
    const auto differ = std::mismatch(first.begin(), first.end(), run.name.begin(), run.name.end());
    shared = std::min(shared, static_cast<std::size_t>(differ.first - first.begin()));
  }
  return runs.front().name.substr(0, shared).rfind('/') + 1;  // npos + 1 is 0
}

std::string runs_counted(std::size_t count) {
  return count == 1 ? "1 run" : fmt::format("{} runs", count);
}

std::string overview(const CurvesSummary& summary, std::size_t width) {
  Table table({{"run"}, {"format"}, {"over"}, {"metrics (points)", Align::left, 0, true}});
  for (const Run& run : summary.runs) {
    std::vector<std::string> metrics;
    for (const curves::Curve& curve : run.curves) {
      metrics.push_back(fmt::format("{} ({})", curve.metric, curve.points.size()));
    }
    table.add_row({run.name.substr(shared_folders(summary.runs)), run.format,
                   std::string(to_string(run.curves.front().axis)),
                   fmt::format("{}", fmt::join(metrics, ", "))});
  }
  return runs_counted(summary.runs.size()) + "; --metric says which curve to look at\n\n" +
         table.to_string(width);
}

std::string headline(const CurvesSummary& summary) {
  const AnalysisOptions& options = *summary.options;
  const SetFigures& set = *summary.figures;
  const std::string what = fmt::format("{} ({} is better)", options.metric,
                                       options.lower_is_better ? "lower" : "higher");
  if (!set.first_crossing) {
    return fmt::format("{} of {} over {}: final value {}\n", runs_counted(set.runs.size()), what,
                       to_string(summary.axis), curve_number(set.final_value.mean));
  }
  const Reaching& reaching = *set.first_crossing;
  std::string text = fmt::format("{} reaches {} in {} of {}", what, curve_number(*options.target),
                                 reaching.reached(), runs_counted(reaching.runs));
  if (reaching.when) {
    text += fmt::format(" after {} {}", curve_number(reaching.when->mean), to_string(summary.axis));
    if (reaching.reached() > 1) text += " in the mean";
  }
  return text + "\n";
}

std::string runs_table(const CurvesSummary& summary, const SetFigures& set, std::size_t width) {
  using Row = RunFigures;
  const std::size_t folders = shared_folders(summary.runs);
  std::vector<DescribedColumn<Row>> columns{
      {{"run"}, [=](const Row& run) { return run.run.substr(folders); }},
      {{"format"}, [](const Row& run) { return run.format; }},
      {{"points", Align::right},
       [](const Row& run) { return format_count(static_cast<std::int64_t>(run.points)); }},
      {{std::string(to_string(summary.axis)), Align::right},
       [](const Row& run) { return curve_range(run.first_x, run.last_x); }},
      {{"final", Align::right}, [](const Row& run) { return curve_number(run.final_value); }},
      {{"best", Align::right}, [](const Row& run) { return curve_number(run.best_value); }}};
  const auto add = [&](const char* title, std::optional<double> Row::*crossing, const char* none) {
    columns.push_back({{title, Align::right}, [=](const Row& run) {
                         return run.*crossing ? curve_number(*(run.*crossing)) : none;
                       }});
  };
  if (summary.options->target) {
    add("first crossing", &Row::first_crossing, "never");
    add("smoothed crossing", &Row::smoothed_crossing, "never");
  }
  return table_of(columns, set.runs).to_string(width);
}

std::vector<std::string> spread_cells(const std::string& name, const Spread& spread) {
  return {name,
          fmt::format("{}", spread.count),
          curve_number(spread.mean),
          spread.interval ? curve_range(spread.interval->low, spread.interval->high) : "-",
          curve_number(spread.median),
          curve_number(spread.least),
          curve_number(spread.most)};
}

void add_reaching(Table& table, const std::string& name, const std::optional<Reaching>& reaching) {
  if (!reaching) return;
  if (reaching->when) {
    table.add_row(spread_cells(name, *reaching->when));
  } else {
    table.add_row({name, "0", "never", "-", "-", "-", "-"});
  }
}

std::string spread_table(const CurvesSummary& summary, const SetFigures& set, std::size_t width) {
  Table table({{"over runs"},
               {"runs", Align::right},
               {"mean", Align::right},
               {"95 % interval", Align::right},
               {"median", Align::right},
               {"least", Align::right},
               {"most", Align::right}});
  const AnalysisOptions& options = *summary.options;
  const std::string unit = fmt::format(", {}", to_string(summary.axis));
  if (options.target) add_reaching(table, "first crossing" + unit, set.first_crossing);
  if (options.target) add_reaching(table, "smoothed crossing" + unit, set.smoothed_crossing);
  table.add_row(spread_cells("final value", set.final_value));
  table.add_row(spread_cells("best value", set.best_value));
  return table.to_string(width);
}

std::string difference_text(const std::string& what, const Difference& difference) {
  const bool differ = difference.p_value < curves::kSignificant;
  std::string text =
      fmt::format("{}: {}, p = {:.3g}", what, differ ? "the sets differ" : "cannot be told apart",
                  difference.p_value);
  if (difference.least_p >= curves::kSignificant) {
    text +=
        fmt::format(" (so few runs never come below {:.3g}, whatever they do)", difference.least_p);
  }
  return text + "\n";
}

std::string comparison_text(const CurvesSummary& summary, std::size_t width) {
  if (!summary.against) return "";
  std::string text = "\nAgainst:\n\n" + runs_table(summary, *summary.against, width) + "\n" +
                     spread_table(summary, *summary.against, width) + "\n";
  text += difference_text("final value", *summary.final_difference);
  if (summary.crossing_difference) {
    text += difference_text("first crossing", *summary.crossing_difference);
  }
  return text;
}

std::string how_text(const CurvesSummary& summary) {
  const AnalysisOptions& options = *summary.options;
  std::string text;
  if (options.target) {
    text += fmt::format(
        "First crossing: the first point measured at {} or {}, not interpolated. Smoothed "
        "crossing: "
        "where the curve gets there on straight lines between {}. A run that never does is not "
        "continued, and in no mean.\n",
        curve_number(*options.target), options.lower_is_better ? "below" : "above",
        options.window == 1 ? "its points" : fmt::format("means of {} points", options.window));
  }
  if (summary.figures->runs.size() == 1) {
    return text + "One run gives no interval: how much the next one differs is not known.\n";
  }
  return text + fmt::format("Interval: of the mean, by bootstrap over the runs (seed {}).\n",
                            options.seed);
}

std::string notes_text(const CurvesSummary& summary) {
  std::string text;
  for (const curves::Note& note : summary.notes) {
    text += fmt::format("{}: {}\n", note.where.to_string(), note.text);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string curves_text(const CurvesSummary& summary, std::size_t width) {
  const std::string notes = wrap_lines(notes_text(summary), width);
  if (!summary.options) return overview(summary, width) + notes;
  const SetFigures& set = *summary.figures;
  return headline(summary) + "\n" + runs_table(summary, set, width) + "\n" +
         spread_table(summary, set, width) + comparison_text(summary, width) + "\n" +
         wrap_lines(how_text(summary), width) + notes;
}

}  // namespace stcsim
