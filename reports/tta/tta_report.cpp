#include "reports/tta/tta_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/io/text_fit.hpp"
#include "reports/study_report.hpp"
#include "reports/tta/tta_tables.hpp"

namespace stcsim {
namespace {

using Results = std::vector<const TtaResult*>;

std::string place_text(const TtaSummary& summary, const std::string& machine) {
  std::vector<std::string> networks;
  for (const NetworkSpan& span : summary.config.schedule) networks.push_back(span.network);
  const std::int64_t devices = summary.config.devices;
  return fmt::format("{} on {}{}", fmt::join(networks, ", "), machine,
                     devices > 1 ? fmt::format(" ({} of them)", devices) : "");
}

/// Names of the results with a verdict; of the faster and slower ones with their speedups.
std::string named(const Results& results, curves::Verdict verdict, const char* title) {
  std::vector<std::string> names;
  for (const TtaResult* const result : results) {
    const curves::SpeedupToTarget& against = result->against_dense;
    if (against.verdict != verdict) continue;
    const bool is_clear = verdict == curves::Verdict::faster || verdict == curves::Verdict::slower;
    names.push_back(
        is_clear ? fmt::format("{} ({})", result->scheme, format_speedup(against.speedup->value))
                 : result->scheme);
  }
  return names.empty() ? "" : fmt::format("; {}: {}", title, fmt::join(names, ", "));
}

const TtaResult* dense_of(const Results& results) {
  const auto found = std::find_if(results.begin(), results.end(), [](const TtaResult* result) {
    return result->scheme == kBaselineScheme;
  });
  return found == results.end() ? nullptr : *found;
}

std::string dense_text(const TtaSummary& summary, const TtaResult& dense) {
  const auto& target = summary.question.curves.target;
  const std::string step = format_time_us(dense.step_ms * 1000);
  if (!target || dense.curves == nullptr) return fmt::format("dense step {}", step);
  if (!dense.hours) {
    return fmt::format("dense never reaches {:.6g} in {} runs", *target, dense.runs);
  }
  const bool is_all = dense.reached == dense.runs;
  return fmt::format("dense reaches {:.6g} in {}{}", *target, format_hours(dense.hours->value),
                     is_all ? "" : fmt::format(" ({} of {} runs)", dense.reached, dense.runs));
}

/// The scheme that may take most epochs.
std::string most_allowed(const Results& results) {
  const TtaResult* best = nullptr;
  for (const TtaResult* const result : results) {
    if (result->scheme == kBaselineScheme || !result->break_even) continue;
    if (best == nullptr || *result->break_even > *best->break_even) best = result;
  }
  if (best == nullptr) return "";
  return fmt::format("; {} wins if it takes less than {} times the epochs of dense", best->scheme,
                     format_significant(*best->break_even));
}

std::string answer_line(const TtaSummary& summary, const Results& results) {
  const std::string place = place_text(summary, results.front()->machine);
  const TtaResult* const dense = dense_of(results);
  if (dense == nullptr) return place + ": the dense step failed\n";
  std::string line = place + ": " + dense_text(summary, *dense);
  if (summary.question.curves.target) {
    line += named(results, curves::Verdict::faster, "faster");
    line += named(results, curves::Verdict::slower, "slower");
    line += named(results, curves::Verdict::not_told_apart, "cannot be told apart");
    line += named(results, curves::Verdict::one_run, "one run, so nobody knows");
    line += named(results, curves::Verdict::not_reached, "not reached");
  }
  const bool has_compared = line.find(';') != std::string::npos;
  return line + (has_compared ? "" : most_allowed(results)) + "\n";
}

std::string evidence_lines(const Results& results) {
  std::string text = "What it rests on:\n";
  for (const TtaResult* const result : results) {
    text += fmt::format("  {}: {}\n", result->scheme, result->evidence);
  }
  return text;
}

std::string extrapolated_lines(const TtaSummary& summary) {
  std::string text;
  for (const TtaResult& result : summary.results) {
    if (!result.extrapolated_to_target) continue;
    text += fmt::format(
        "{} on {}: with {} runs continued by a power law, {:.4g} {} and {} in the mean. That is no "
        "measurement, and in no figure above.\n",
        result.scheme, result.machine, result.extrapolated_to_target->count - result.reached,
        result.extrapolated_to_target->mean, axis_name(summary.question.over),
        format_hours(*result.extrapolated_hours));
  }
  return text;
}

std::size_t p_values(const TtaSummary& summary) {
  return static_cast<std::size_t>(std::count_if(
      summary.results.begin(), summary.results.end(),
      [](const TtaResult& result) { return result.against_dense.difference.has_value(); }));
}

std::string interval_text(const TtaSummary& summary) {
  std::string text =
      "Times: simulated time of a step times the steps of the curve up to its first point at the "
      "target. Intervals: bootstrap over the runs and validated errors of the step's time, "
      "distances in logarithms added in quadrature";
  const bool has_one_run =
      std::any_of(summary.curves.begin(), summary.curves.end(),
                  [](const TtaCurves& curves) { return curves.runs.size() == 1; });
  text +=
      has_one_run ? "; one run gives none: how much the next one differs is not known.\n" : ".\n";
  text += fmt::format(
      "Faster, slower: p below {} in a permutation test of the runs' times, and an interval of the "
      "speedup without 1; else they cannot be told apart.",
      curves::kSignificant);
  const std::size_t tests = p_values(summary);
  if (tests > 1) {
    text += fmt::format(" {} comparisons: {} of them are below {} by chance alone.", tests,
                        format_significant(static_cast<double>(tests) * curves::kSignificant),
                        curves::kSignificant);
  }
  return text + "\n";
}

bool any_assumed(const TtaSummary& summary) {
  return std::any_of(summary.results.begin(), summary.results.end(),
                     [](const TtaResult& result) { return result.is_assumed; });
}

std::string how_lines(const TtaSummary& summary) {
  std::string text;
  if (summary.question.curves.target && !summary.curves.empty()) text += interval_text(summary);
  if (any_assumed(summary)) {
    text +=
        "Assumed: no curve of the scheme is known, so it is taken to need the epochs of dense "
        "training; break-even says what that is worth.\n";
  }
  text +=
      "Break-even: how many times the epochs of dense training the scheme may take and be done no "
      "later.\n";
  if (!summary.config.curves_of.empty()) {
    text += fmt::format(
        "Curves are of {}, steps of what is named above: that the epochs carry over is assumed.\n",
        summary.config.curves_of);
  }
  if (summary.config.devices > 1) {
    text += fmt::format(
        "{} devices: each takes a step of its batch as one alone does; exchanging gradients is "
        "not simulated.\n",
        summary.config.devices);
  }
  return text;
}

std::string source_lines(const TtaSummary& summary) {
  std::vector<std::string> sources;
  const auto add = [&sources](const std::string& source) {
    const bool is_new = std::find(sources.begin(), sources.end(), source) == sources.end();
    if (!source.empty() && is_new) sources.push_back(source);
  };
  for (const TtaComparison& one : summary.comparisons) add(one.pair.source);
  for (const TtaMeasured& one : summary.measured) add(one.measured.source);
  std::string text;
  for (const std::string& source : sources) text += "Published: " + source + "\n";
  return text;
}

std::string notes_of(const TtaSummary& summary) {
  std::string text;
  for (const std::string& note : summary.notes) text += "Note: " + note + "\n";
  return text;
}

/// What is said of a table of pairs.
constexpr const char* kComparisonText =
    "A step of the other scheme over one of the scheme (the mean of a training), with and without "
    "what choosing, sampling and compressing take; and how many times the other one's epochs the "
    "scheme then takes if it saves the published time.\n";
constexpr const char* kMeasuredText =
    "Measured trainings against simulated steps times the steps they took.\n";

}  // namespace

std::string tta_text(const TtaSummary& summary, std::size_t width) {
  std::string text;
  const auto machines = results_by_machine(summary);
  for (const Results& results : machines) text += answer_line(summary, results);
  for (const Results& results : machines) {
    text += "\n" + place_text(summary, results.front()->machine) + "\n\n";
    text += schemes_table(summary, results, false).to_string(width);
    if (has_parts(results)) text += "\n" + parts_table(results).to_string(width);
  }
  if (!summary.comparisons.empty()) {
    text += "\n" + comparisons_table(summary).to_string(width) + kComparisonText;
  }
  if (!summary.measured.empty()) {
    text += "\n" + measured_table(summary).to_string(width) + kMeasuredText;
  }
  if (!machines.empty()) text += "\n" + evidence_lines(machines.front());
  text += "\n" + extrapolated_lines(summary) + how_lines(summary) + source_lines(summary) +
          notes_of(summary);
  return wrap_lines(text, width);
}

std::string tta_markdown(const TtaSummary& summary) {
  std::string text;
  const auto machines = results_by_machine(summary);
  for (const Results& results : machines) {
    text += fmt::format("### {}\n\n{}\n", place_text(summary, results.front()->machine),
                        answer_line(summary, results));
    text += schemes_table(summary, results, true).to_markdown() + "\n";
    if (has_parts(results)) text += parts_table(results).to_markdown() + "\n";
  }
  if (!summary.comparisons.empty()) {
    text += comparisons_table(summary).to_markdown() + "\n" + kComparisonText + "\n";
  }
  if (!summary.measured.empty()) {
    text += measured_table(summary).to_markdown() + "\n" + kMeasuredText + "\n";
  }
  return text + extrapolated_lines(summary) + how_lines(summary) + source_lines(summary) +
         notes_of(summary);
}

}  // namespace stcsim
