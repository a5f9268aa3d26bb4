#include "reports/tta/tta_report.hpp"

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/tta/tta_parts.hpp"

namespace stcsim {
namespace {

using Results = std::vector<const TtaResult*>;

/// What is said of a table of pairs.
constexpr const char* kComparisonText =
    "A step of the other scheme over one of the scheme (mean of a training), with and without what "
    "choosing, sampling and compressing take; how many times the other one's epochs the scheme "
    "takes if it saves the published time.\n";
constexpr const char* kMeasuredText =
    "Measured trainings against simulated steps times the steps they took.\n";

}  // namespace

std::string tta_text(const TtaSummary& summary, std::size_t width) {
  if (summary.question.is_below_dense) return accepted_text(summary, width);
  std::string text;
  const auto machines = results_by_machine(summary);
  for (const Results& results : machines) text += answer_line(summary, results);
  text += comparison_lines(summary, "");
  for (const Results& results : machines) {
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
  for (const Results& results : machines) {
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
