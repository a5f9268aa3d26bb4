#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/table.hpp"
#include "curves/statistics.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {

/// The answer, then per machine the table of schemes, what trainings are made of, pairs that are
/// compared, measured trainings; what the figures rest on, and how they were made.
[[nodiscard]] std::string tta_text(const TtaSummary& summary, std::size_t width);

/// The same tables in Markdown.
[[nodiscard]] std::string tta_markdown(const TtaSummary& summary);

inline constexpr std::string_view kTtaSchema = "stcsim.tta/1";

/// The summary as JSON; docs/reference/results.md lists the keys. What does not apply is null.
[[nodiscard]] std::string tta_to_json(const TtaSummary& summary);

/// A line per result; docs/reference/results.md lists the columns.
[[nodiscard]] std::string tta_to_csv(const TtaSummary& summary);

/// What the texts are made of.

/// "9.31 h", "28.4 min", "12.1 s": three significant digits.
[[nodiscard]] std::string format_hours(double hours);

/// "16.1..21.8 min"
[[nodiscard]] std::string format_hours_range(const curves::Interval& hours);

/// Epochs, steps or samples: four significant digits, 2.48 M.
[[nodiscard]] std::string format_training(double amount);

/// "they differ", "cannot be told apart", or "too few runs" to ever differ.
[[nodiscard]] std::string format_apart(const curves::Difference& difference);

/// What is trained where: "resnet50 on a100 (8 of them)".
[[nodiscard]] std::string place_text(const TtaSummary& summary, const std::string& machine);

using TtaResults = std::vector<const TtaResult*>;

/// That of a scheme; null where its step could not be simulated.
[[nodiscard]] const TtaResult* result_of(const TtaResults& results, std::string_view scheme);

/// The answer for one machine, in one line: how long dense training takes, and which schemes are
/// faster, slower, or cannot be told apart from it.
/// @param results of that machine, one at least
[[nodiscard]] std::string answer_line(const TtaSummary& summary, const TtaResults& results);

/// What every result of a machine rests on.
[[nodiscard]] std::string evidence_lines(const TtaResults& results);

/// What pairs come to, a line each that begins with `before`: how long their epochs take, and what
/// was published then says of their number.
[[nodiscard]] std::string comparison_lines(const TtaSummary& summary, const char* before);

/// Runs that were continued; how the figures were made, and what they assume; where published
/// figures are from; notes.
[[nodiscard]] std::string closing_lines(const TtaSummary& summary);
/// What was published of other methods, what is taken of trainings of any length, and what hours
/// cost.
[[nodiscard]] std::string length_lines(const TtaSummary& summary);

/// The results of each machine, in order.
[[nodiscard]] std::vector<TtaResults> results_by_machine(const TtaSummary& summary);

/// The schemes of one machine; columns that say nothing are left out.
/// @param with_evidence as a last column
[[nodiscard]] Table schemes_table(const TtaSummary& summary, const TtaResults& results,
                                  bool with_evidence);

/// What was reached: within the budget, and in the end, against what each is compared with; and
/// whether that is on the Pareto front. Of schemes with curves.
[[nodiscard]] Table values_table(const TtaSummary& summary, const TtaResults& results);
[[nodiscard]] bool has_values(const TtaResults& results);

/// What trainings of one machine are made of that are not all of one part.
[[nodiscard]] Table parts_table(const TtaResults& results);
[[nodiscard]] bool has_parts(const TtaResults& results);

/// How long epochs of pairs take, and how many were implied.
[[nodiscard]] Table comparisons_table(const TtaSummary& summary);

/// Final values of pairs that both have curves.
[[nodiscard]] Table orderings_table(const TtaSummary& summary);

/// Measured trainings against simulated ones.
[[nodiscard]] Table measured_table(const TtaSummary& summary);

}  // namespace stcsim
