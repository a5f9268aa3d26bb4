#include "reports/validation/network_tables.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "reports/validation/step_tables.hpp"
#include "reports/validation/validation_cells.hpp"
#include "reports/validation/validation_result.hpp"

namespace stcsim {
namespace {

std::string title_of(const MeasuredNetwork& network) {
  return network.config.empty() ? network.network : network.network + ", " + network.config;
}

}  // namespace

Table network_table(const std::vector<NetworkRow>& rows) {
  std::vector<Column> columns{
      {"line", Align::right},   {"gpu"}, {"network"}, {"type"}, {"scheme", Align::left, 4},
      {"scope", Align::left, 2}};
  constexpr std::array<std::pair<const char*, int>, 3> kQuantities{
      {{"dense time", 3}, {"sparse time", 1}, {"speedup", 0}}};
  for (const auto& [quantity, dispensable] : kQuantities) {
    columns.push_back({quantity, Align::right, dispensable});
    columns.push_back({"simulated", Align::right, dispensable});
    columns.push_back({"error", Align::right, dispensable});
  }
  columns.push_back({"framework", Align::left, 5});
  Table table(columns);
  for (const NetworkRow& row : rows) {
    if (!row.skipped.empty() || is_dense_step(row)) continue;
    const MeasuredNetwork& network = row.measured;
    const NetworkFigures& measured = network.measured;
    const NetworkFigures& simulated = row.simulated;
    table.add_row({std::to_string(network.where.line), network.gpu, title_of(network),
                   std::string(to_string(network.dtype)), network.scheme,
                   std::string(to_string(network.scope)), time_cell(measured.dense_us),
                   time_cell(simulated.dense_us),
                   error_cell(relative_error(simulated.dense_us, measured.dense_us)),
                   time_cell(measured.sparse_us), time_cell(simulated.sparse_us),
                   error_cell(relative_error(simulated.sparse_us, measured.sparse_us)),
                   speedup_cell(measured.speedup), speedup_cell(simulated.speedup),
                   error_cell(distance_from(simulated.speedup, measured.speedup)),
                   network.framework});
  }
  return table;
}

std::vector<std::string> skipped_networks(const std::vector<NetworkRow>& rows) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const NetworkRow& row : rows) {
    reasons.emplace_back(row.skipped, std::to_string(row.measured.where.line));
  }
  return skipped_sentences(reasons);
}

}  // namespace stcsim
