#include "reports/validation/stream_tables.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/validation/error_statistics.hpp"
#include "reports/validation/validation_cells.hpp"

namespace stcsim {
namespace {

constexpr const char* kAllOps = "all";

struct OpRows {
  std::vector<std::pair<double, double>> points;  // measured and simulated us
  double least_us = 0;

  void add(const StreamRow& row) {
    const double measured = row.measured.time_us;
    least_us = points.empty() ? measured : std::min(least_us, measured);
    points.emplace_back(measured, *row.time_us);
  }
};

}  // namespace

Table stream_table(const std::vector<StreamRow>& rows) {
  std::map<std::pair<std::string, std::string>, OpRows> ops;
  for (const StreamRow& row : rows) {
    if (!row.time_us) continue;
    ops[{row.machine, kAllOps}].add(row);
    ops[{row.machine, row.measured.op}].add(row);
  }
  Table table({{"machine"},
               {"operation"},
               {"rows", Align::right},
               {"shortest", Align::right},
               {"mean error", Align::right},
               {"bias", Align::right}});
  for (const auto& [key, of_op] : ops) {
    const ErrorSummary errors = error_statistics(of_op.points);
    table.add_row({key.first, key.second, std::to_string(errors.rows),
                   format_time_us(of_op.least_us), format_percent(errors.mean_absolute),
                   error_cell(errors.bias)});
  }
  return table;
}

std::string skipped_streams(const std::vector<StreamRow>& rows) {
  const auto is_skipped = [](const StreamRow& row) { return !row.skipped.empty(); };
  const auto first = std::find_if(rows.begin(), rows.end(), is_skipped);
  if (first == rows.end()) return "";
  const auto count = std::count_if(rows.begin(), rows.end(), is_skipped);
  return fmt::format("\nskipped {} row{}, the first in line {}: {}\n", count, count == 1 ? "" : "s",
                     first->measured.where.line, first->skipped);
}

}  // namespace stcsim
