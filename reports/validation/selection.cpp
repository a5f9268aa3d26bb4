#include "reports/validation/selection.hpp"

#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "reports/validation/cells.hpp"
#include "reports/validation/fidelity.hpp"

namespace stcsim {
namespace {

using MachineAndType = std::pair<std::string, DataType>;

/// Errors of gains, by machine and type.
std::map<MachineAndType, double> gain_errors(const std::vector<ValidationRow>& rows) {
  std::map<MachineAndType, double> errors;
  for (const FidelityCell& cell : fidelity_cells(rows)) {
    const CellKey all{cell.key.machine, cell.key.dtype};
    if (cell.key != all) continue;
    errors[{all.machine, all.dtype}] =
        cell.simulated.at(static_cast<std::size_t>(GemmFigure::speedup)).mean_absolute;
  }
  return errors;
}

bool is_chosen_from(const ValidationRow& row) {
  return row.skipped.empty() && is_scored(row.gemm.use) &&
         row.gemm.problem.a_pattern == Pattern{2, 4};
}

}  // namespace

std::vector<Selection> selections(const std::vector<ValidationRow>& rows) {
  const std::map<MachineAndType, double> errors = gain_errors(rows);
  std::map<MachineAndType, Selection> found;
  for (const ValidationRow& row : rows) {
    const auto gains = measured_and_predicted(row, GemmFigure::speedup, &ValidationRow::simulated);
    if (!is_chosen_from(row) || !gains) continue;
    const MachineAndType key{row.machine, row.gemm.problem.dtype};
    Selection& one = found[key];
    std::tie(one.machine, one.dtype) = key;
    const auto error = errors.find(key);
    one.threshold = error == errors.end() ? 0 : error->second;
    const auto& [measured, simulated] = *gains;
    const bool is_sparse = simulated > 1 + one.threshold;
    ++one.rows;
    one.sparse += is_sparse ? 1 : 0;
    one.claimed += is_sparse ? simulated : 1;
    one.got += is_sparse ? measured : 1;
  }
  std::vector<Selection> all;
  for (auto& [key, one] : found) {
    one.claimed /= static_cast<double>(one.rows);
    one.got /= static_cast<double>(one.rows);
    all.push_back(std::move(one));
  }
  return all;
}

Table selection_table(const std::vector<Selection>& selections) {
  Table table({{"machine"},
               {"type"},
               {"rows", Align::right},
               {"run sparse", Align::right},
               {"gain from", Align::right},
               {"claimed", Align::right},
               {"got", Align::right},
               {"too large by", Align::right}});
  for (const Selection& one : selections) {
    table.add_row({one.machine, std::string(to_string(one.dtype)), std::to_string(one.rows),
                   std::to_string(one.sparse), format_speedup(1 + one.threshold),
                   fmt::format("{:.3f}x", one.claimed), fmt::format("{:.3f}x", one.got),
                   error_cell(one.excess())});
  }
  return table;
}

nlohmann::ordered_json selections_json(const std::vector<Selection>& selections) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Selection& one : selections) {
    array.push_back({{"machine", one.machine},
                     {"dtype", to_string(one.dtype)},
                     {"rows", one.rows},
                     {"sparse", one.sparse},
                     {"threshold", json_number(one.threshold, "threshold")},
                     {"claimed_gain", json_number(one.claimed, "claimed")},
                     {"measured_gain", json_number(one.got, "got")}});
  }
  return array;
}

}  // namespace stcsim
