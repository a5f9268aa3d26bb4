#include "reports/tta/tta_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// What is said of a table of pairs.
constexpr const char* kComparisonText =
    "A step of the other scheme over one of the scheme (mean of a training), with and without what "
    "choosing, sampling and compressing take; how many times the other one's epochs the scheme "
    "takes if it saves the published time.\n";
constexpr const char* kMeasuredText =
    "Measured trainings against simulated steps times the steps they took.\n";

constexpr const char* kNoResult = "?";

std::string accepted_loss(const TtaResult& result, bool in_nats) {
  if (!result.predicted) return result.scheme == kBaselineScheme ? "-" : kNoResult;
  const double unit = !in_nats && result.predicted->crossing.end <= 1.5 ? 100 : 1;
  const curves::LossAtEnd& loss = result.predicted->loss;
  const int digits = in_nats ? 3 : 2;
  return fmt::format("{:.{}f} ± {:.{}f}", unit * loss.value, digits,
                     unit * (loss.between.high - loss.value), digits);
}

std::string taken_text(const TtaResult& dense) {
  const double hours = dense.hours->value;
  return fmt::format(
      "takes {}{}", format_hours(hours),
      dense.most_loss ? fmt::format(" ({:.0f} %)", 100 * hours / *dense.training_hours) : "");
}

std::string saved_text(const TtaResult& result, double dense_hours) {
  using curves::Verdict;
  const Verdict verdict = result.compared.verdict;
  if (verdict == Verdict::not_reached) {
    return result.predicted && result.predicted->crossing.low ? "ends too low, maybe"
                                                              : "ends too low";
  }
  if (verdict == Verdict::unknown || !result.hours) return "unknown";
  const double saved = dense_hours - result.hours->value;
  return fmt::format("{}{}{}", saved < 0 ? "-" : "", format_hours(std::abs(saved)),
                     verdict == Verdict::faster || verdict == Verdict::slower ? "" : ", maybe");
}

bool any_faster(const std::vector<const TtaResult*>& results) {
  return std::ranges::any_of(results, [](const TtaResult* one) {
    return one->compared.verdict == curves::Verdict::faster;
  });
}

/// Where no scheme saves hours.
std::string none_text(const std::vector<TtaResults>& machines) {
  std::vector<std::string> names;
  for (const TtaResults& results : machines) {
    if (!any_faster(results)) names.push_back(results.front()->machine);
  }
  return names.empty() ? ""
                       : fmt::format("no scheme is known to save hours at that loss on {}\n",
                                     fmt::join(names, ", "));
}

/// Below the table: what it rests on, and what nobody knows.
std::string accepted_notes(const TtaSummary& summary, const TtaResults& results) {
  std::set<std::string> sources;
  std::vector<std::string> unknown;
  for (const TtaResult* const one : results) {
    if (one->predicted && one->published) sources.insert(one->published->source);
    if (one->compared.verdict == curves::Verdict::unknown) unknown.push_back(one->scheme);
  }
  std::string text;
  if (!sources.empty()) {
    text = fmt::format(
        "maybe: by the losses' errors and those of the steps nobody can tell; they are the "
        "rounding and what equal trainings were published to differ by.\nLosses: {}.\n",
        fmt::join(sources, "; "));
  }
  const TtaResult* const dense = result_of(results, kBaselineScheme);
  if (dense != nullptr && summary.is_of_ends()) {
    text += fmt::format(
        "dense: {}.\nown, small: nats a byte above dense of own small trainings on text, five "
        "seeds, "
        "with their 95 % interval: a sign, and no size of what this network would lose.\n",
        dense->evidence);
  }
  return text +
         fmt::format(
             "Not known: whether losses of those recipes carry over to this curve's; how {} end "
             "beside dense; what another run of the dense curve would do.\n",
             unknown.empty() ? "others" : fmt::format("{}", fmt::join(unknown, ", "))) +
         length_lines(summary) + "All tables: the same with --format markdown.\n";
}

/// A column of own small trainings.
void add_own(const TtaSummary& summary, std::vector<Column>& columns,
             std::vector<std::vector<std::string>>& rows) {
  columns.push_back({"own, small", Align::right});
  for (std::vector<std::string>& row : rows) {
    const auto one = std::ranges::find(summary.results, row.front(), &TtaResult::scheme);
    const bool is_known =
        one != summary.results.end() && one->own && one->scheme != kBaselineScheme;
    row.push_back(is_known ? fmt::format("{:+.3f} ± {:.3f}", one->own->value,
                                         one->own->between.high - one->own->value)
                           : "-");
  }
}

/// The answer to "I accept so many points": what each scheme saves on each machine to a target
/// below dense's end, on one screen.
std::string accepted_text(const TtaSummary& summary, std::size_t width) {
  const bool in_nats = summary.question.curves.lower_is_better;
  std::vector<Column> columns{{"scheme"},
                              {in_nats ? "above dense" : "points below dense", Align::right}};
  std::vector<std::vector<std::string>> rows;
  for (const std::string& scheme : summary.schemes) rows.push_back({scheme, kNoResult});
  if (summary.is_of_ends()) add_own(summary, columns, rows);
  std::string head;
  const auto machines = results_by_machine(summary);
  for (const auto& results : machines) {
    const TtaResult* const dense = result_of(results, kBaselineScheme);
    const bool is_timed = dense != nullptr && dense->hours;
    head += answer_line(summary, results);
    columns.push_back({"saves on " + results.front()->machine, Align::right});
    if (dense != nullptr && dense->most_loss) columns.push_back({"pays below", Align::right});
    for (std::vector<std::string>& row : rows) {
      const TtaResult* const one = result_of(results, row.front());
      if (one != nullptr) row[1] = accepted_loss(*one, in_nats);
      if (one == nullptr || !is_timed) {
        row.emplace_back(kNoResult);
      } else {
        row.push_back(one == dense ? taken_text(*dense) : saved_text(*one, dense->hours->value));
      }
      if (one != nullptr && one->most_loss) {
        row.push_back(one == dense ? "-" : fmt::format("{:.3f}", *one->most_loss));
      }
    }
  }
  Table table(columns);
  for (const auto& row : rows) table.add_row(row);
  head += none_text(machines);
  return wrap_lines(head, width) + "\n" + table.to_string(width) + "\n" +
         wrap_lines(machines.empty() ? "" : accepted_notes(summary, machines.front()), width);
}

}  // namespace

std::string tta_text(const TtaSummary& summary, std::size_t width) {
  if (summary.question.points_below_dense) return accepted_text(summary, width);
  std::string text;
  const auto machines = results_by_machine(summary);
  for (const TtaResults& results : machines) text += answer_line(summary, results);
  text += comparison_lines(summary, "");
  for (const TtaResults& results : machines) {
    text += "\n" + place_text(summary, results.front()->machine) + "\n\n";
    text += schemes_table(summary, results, false).to_string(width);
    if (has_values(results)) text += "\n" + values_table(summary, results).to_string(width);
    if (has_parts(results)) text += "\n" + parts_table(results).to_string(width);
  }
  if (!summary.orderings.empty()) text += "\n" + orderings_table(summary).to_string(width);
  if (!summary.comparisons.empty()) {
    text += "\n" + comparisons_table(summary).to_string(width) + kComparisonText;
  }
  if (!summary.measured.empty()) {
    text += "\n" + measured_table(summary).to_string(width) + kMeasuredText;
  }
  if (!machines.empty()) text += "\n" + evidence_lines(machines.front());
  text += "\n" + closing_lines(summary);
  return wrap_lines(text, width);
}

std::string tta_markdown(const TtaSummary& summary) {
  std::string text;
  const auto machines = results_by_machine(summary);
  for (const TtaResults& results : machines) {
    text += fmt::format("### {}\n\n{}\n", place_text(summary, results.front()->machine),
                        answer_line(summary, results));
    text += schemes_table(summary, results, true).to_markdown() + "\n";
    if (has_values(results)) text += values_table(summary, results).to_markdown() + "\n";
    if (has_parts(results)) text += parts_table(results).to_markdown() + "\n";
  }
  if (!summary.orderings.empty()) {
    text += "### What was claimed\n\n" + orderings_table(summary).to_markdown() + "\n";
  }
  if (!summary.comparisons.empty()) {
    text += "### Pairs\n\n" + comparison_lines(summary, "- ") + "\n";
    text += comparisons_table(summary).to_markdown() + "\n" + kComparisonText + "\n";
  }
  if (!summary.measured.empty()) {
    text +=
        "### Measured\n\n" + measured_table(summary).to_markdown() + "\n" + kMeasuredText + "\n";
  }
  return text + markdown_list(closing_lines(summary));
}

}  // namespace stcsim
