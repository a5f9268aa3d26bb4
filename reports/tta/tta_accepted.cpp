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

std::string accepted_loss(const TtaResult& result) {
  if (!result.predicted) return result.scheme == kBaselineScheme ? "-" : "?";
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

}  // namespace

std::string accepted_text(const TtaSummary& summary, std::size_t width) {
  std::vector<Column> columns{{"scheme"}, {"points below dense", Align::right}};
  std::vector<std::vector<std::string>> rows;
  std::string head;
  std::set<std::string> sources;
  std::vector<std::string> unknown;
  for (const auto& results : results_by_machine(summary)) {
    const bool is_first = rows.empty();
    const TtaResult& dense = **std::ranges::find(results, std::string(kBaselineScheme),
                                                 [](const TtaResult* one) { return one->scheme; });
    const double hours = dense.hours ? dense.hours->value : std::nan("");
    head += answer_line(summary, results);
    const bool is_clear = std::ranges::any_of(results, [](const TtaResult* one) {
      return one->compared.verdict == curves::Verdict::faster;
    });
    if (!is_clear) head += "  so no scheme is known to save hours at that loss here\n";
    columns.push_back({"saves on " + results.front()->machine, Align::right});
    if (is_first) rows.resize(results.size());
    for (std::size_t at = 0; at < results.size(); ++at) {
      const TtaResult& one = *results[at];
      if (is_first) rows[at] = {one.scheme, accepted_loss(one)};
      rows[at].push_back(&one == &dense ? "takes " + format_hours(hours) : saved_text(one, hours));
      if (one.predicted) sources.insert(one.published->source);
      if (is_first && one.compared.verdict == curves::Verdict::unknown) {
        unknown.push_back(one.scheme);
      }
    }
  }
  Table table(columns);
  for (const auto& row : rows) table.add_row(row);
  std::string text = wrap_lines(head, width) + "\n" + table.to_string(width) + "\n";
  std::string notes =
      "maybe: by the losses' errors and those of the steps nobody can tell; they are the rounding "
      "and what equal trainings were published to differ by.\n";
  notes += fmt::format("Losses: {}.\n", fmt::join(sources, "; "));
  notes += fmt::format(
      "Not known: whether losses of those recipes carry over to this curve's; how {} end beside "
      "dense; what another run of the dense curve would do.\n",
      unknown.empty() ? "others" : fmt::format("{}", fmt::join(unknown, ", ")));
  return text + wrap_lines(notes + "All tables: the same with --format markdown.\n", width);
}

}  // namespace stcsim
