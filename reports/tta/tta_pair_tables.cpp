#include "reports/tta/tta_pair_tables.hpp"

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/tta/tta_format.hpp"

namespace stcsim {
namespace {

constexpr const char* kNoFigure = "-";

}  // namespace

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
