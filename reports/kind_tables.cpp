#include "reports/kind_tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "reports/study_groups.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// The dense step, if it is there, and the fastest scheme.
std::vector<const StudyTotal*> compared(const std::vector<const StudyTotal*>& totals) {
  std::vector<const StudyTotal*> chosen;
  const auto is_dense = [](const StudyTotal* total) { return total->scheme == kBaselineScheme; };
  const auto dense = std::find_if(totals.begin(), totals.end(), is_dense);
  if (dense != totals.end()) chosen.push_back(*dense);
  if (const StudyTotal* const fastest = fastest_of(totals)) chosen.push_back(fastest);
  return chosen;
}

bool has_kind(const std::vector<const StudyTotal*>& totals, std::size_t kind) {
  return std::any_of(totals.begin(), totals.end(),
                     [kind](const StudyTotal* total) { return total->kinds.at(kind).cycles > 0; });
}

void add_part(Table& table, std::string name, const std::vector<const StudyTotal*>& totals,
              auto part_of) {
  std::vector<std::string> cells{std::move(name)};
  for (const StudyTotal* const total : totals) {
    const PhaseTotal& part = part_of(*total);
    const double step = total->step.time_us;
    cells.push_back(format_time_us(part.time_us));
    cells.push_back(format_percent(step > 0 ? part.time_us / step : 0));
  }
  table.add_row(std::move(cells));
}

std::string kind_table(const std::vector<const StudyTotal*>& totals, std::size_t width) {
  std::vector<Column> columns{{"part of the step"}};
  for (const StudyTotal* const total : totals) {
    columns.push_back({total->scheme, Align::right});
    columns.push_back({"share", Align::right});
  }
  Table table(std::move(columns));
  add_part(table, "GEMMs", totals, [](const StudyTotal& total) { return total.gemms; });
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    if (!has_kind(totals, kind)) continue;
    add_part(table, std::string(to_string(static_cast<StreamKind>(kind))), totals,
             [kind](const StudyTotal& total) { return total.kinds.at(kind); });
  }
  const StudyTotal& first = *totals.front();
  const std::string framework =
      first.framework.empty() ? "" : " (framework " + first.framework + ")";
  return place_of(first) + ": where the time goes" + framework + "\n\n" + table.to_string(width) +
         "\n";
}

}  // namespace

std::string kind_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) {
    const std::vector<const StudyTotal*> chosen = compared(totals);
    bool has_any = false;
    for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
      has_any = has_any || has_kind(chosen, kind);
    }
    if (has_any) text += kind_table(chosen, width);
  }
  return text;
}

}  // namespace stcsim
