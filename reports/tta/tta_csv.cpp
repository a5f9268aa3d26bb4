#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_text.hpp"
#include "reports/tta/tta_json.hpp"

namespace stcsim {
namespace {

using curves::Uncertain;
using nlohmann::ordered_json;

ordered_json cell(double value) {
  return json_number(value, "a figure of time to accuracy");
}
ordered_json cell(const std::optional<double>& value) {
  return value ? cell(*value) : ordered_json();
}

/// What the table shows of a result.
ordered_json csv_row(const TtaResult& result) {
  const auto low = [](const std::optional<Uncertain>& figure) {
    return figure && figure->interval ? cell(figure->interval->low) : ordered_json();
  };
  const auto high = [](const std::optional<Uncertain>& figure) {
    return figure && figure->interval ? cell(figure->interval->high) : ordered_json();
  };
  const auto& speedup = result.compared.speedup;
  const auto& when = result.to_target;
  const bool has_budget = result.within_budget && result.within_budget->value;
  return {{"machine", result.machine},
          {"scheme", result.scheme},
          {"runs", result.runs},
          {"reached", result.reached},
          {"assumed", result.is_assumed},
          {"to_target", when ? cell(when->mean) : ordered_json()},
          {"step_ms", cell(result.step_ms)},
          {"hours", result.hours ? cell(result.hours->value) : ordered_json()},
          {"hours_low", low(result.hours)},
          {"hours_high", high(result.hours)},
          {"speedup", speedup ? cell(speedup->value) : ordered_json()},
          {"speedup_low", low(speedup)},
          {"speedup_high", high(speedup)},
          {"verdict", to_string(result.compared.verdict)},
          {"break_even", cell(result.break_even)},
          {"training_hours", cell(result.training_hours)},
          {"within_budget", has_budget ? cell(result.within_budget->value->mean) : ordered_json()},
          {"final", result.curves != nullptr && result.curves->has_points()
                        ? cell(result.curves->figures.final_value.mean)
                        : ordered_json()},
          {"pareto", result.is_on_front ? ordered_json(*result.is_on_front) : ordered_json()},
          {"evidence", result.evidence}};
}

}  // namespace

std::string tta_to_csv(const TtaSummary& summary) {
  std::vector<ordered_json> rows;
  for (const TtaResult& result : summary.results) rows.push_back(csv_row(result));
  return to_csv(csv_row(TtaResult{}), rows);
}

}  // namespace stcsim
