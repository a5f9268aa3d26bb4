// The answer to "I accept so many points": what each scheme saves on each machine, on one screen.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/tta/tta_parts.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr const char* kNoResult = "?";

/// Null where its step could not be simulated.
const TtaResult* result_of(const std::vector<const TtaResult*>& results,
                           const std::string& scheme) {
  const auto found = std::ranges::find(results, scheme, &TtaResult::scheme);
  return found == results.end() ? nullptr : *found;
}

std::string accepted_loss(const TtaResult& result) {
  if (!result.predicted) return result.scheme == kBaselineScheme ? "-" : kNoResult;
  const double unit = result.predicted->crossing.end <= 1.5 ? 100 : 1;
  const curves::LossAtEnd& loss = result.predicted->loss;
  return fmt::format("{:.2f} ± {:.2f}", unit * loss.value, unit * (loss.between.high - loss.value));
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

/// Below the table: what it rests on, and what nobody knows.
std::string accepted_notes(const std::vector<const TtaResult*>& results) {
  std::set<std::string> sources;
  std::vector<std::string> unknown;
  for (const TtaResult* const one : results) {
    if (one->predicted) sources.insert(one->published->source);
    if (one->compared.verdict == curves::Verdict::unknown) unknown.push_back(one->scheme);
  }
  return fmt::format(
      "maybe: by the losses' errors and those of the steps nobody can tell; they are the rounding "
      "and what equal trainings were published to differ by.\nLosses: {}.\n"
      "Not known: whether losses of those recipes carry over to this curve's; how {} end beside "
      "dense; what another run of the dense curve would do.\n"
      "All tables: the same with --format markdown.\n",
      fmt::join(sources, "; "),
      unknown.empty() ? "others" : fmt::format("{}", fmt::join(unknown, ", ")));
}

}  // namespace

std::string accepted_text(const TtaSummary& summary, std::size_t width) {
  std::vector<Column> columns{{"scheme"}, {"points below dense", Align::right}};
  std::vector<std::vector<std::string>> rows;
  for (const std::string& scheme : summary.schemes) rows.push_back({scheme, kNoResult});
  std::string head;
  const auto machines = results_by_machine(summary);
  for (const auto& results : machines) {
    const TtaResult* const dense = result_of(results, kBaselineScheme);
    const bool is_timed = dense != nullptr && dense->hours;
    head += answer_line(summary, results);
    if (!any_faster(results)) head += "  so no scheme is known to save hours at that loss here\n";
    columns.push_back({"saves on " + results.front()->machine, Align::right});
    for (std::vector<std::string>& row : rows) {
      const TtaResult* const one = result_of(results, row.front());
      if (one != nullptr) row[1] = accepted_loss(*one);
      if (one == nullptr || !is_timed) {
        row.emplace_back(kNoResult);
      } else {
        row.push_back(one == dense ? "takes " + format_hours(dense->hours->value)
                                   : saved_text(*one, dense->hours->value));
      }
    }
  }
  Table table(columns);
  for (const auto& row : rows) table.add_row(row);
  return wrap_lines(head, width) + "\n" + table.to_string(width) + "\n" +
         wrap_lines(machines.empty() ? "" : accepted_notes(machines.front()), width);
}

}  // namespace stcsim
