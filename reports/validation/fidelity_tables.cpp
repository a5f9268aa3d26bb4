#include "reports/validation/fidelity_tables.hpp"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/csv.hpp"
#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "reports/validation/validation_cells.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// "all", "fitting", "stack spatha", "fitting: UDC-GAC/venom, spatha".
std::string rows_of(const CellKey& key) {
  std::string use(key.use ? to_string(*key.use) : "");
  if (key.use == RowUse::shown) use = "not scored";
  if (!key.source.empty()) return fmt::format("{}: {}, {}", use, key.source, key.stack);
  if (!key.stack.empty()) return "stack " + key.stack;
  return key.use ? use : "all";
}

std::string size_name(SizeClass size) {
  return size == SizeClass::large ? "from 20 us" : "below";
}

void add_rows(const FidelityCell& cell, Table& table) {
  for (const auto& [quantity, key, title] : kGemmFigures) {
    const auto at = static_cast<std::size_t>(quantity);
    const ErrorSummary& errors = cell.simulated.at(at);
    if (errors.rows == 0) continue;
    const bool has_spread = quantity == GemmFigure::dense && cell.spread.rows > 0;
    table.add_row({cell.key.machine, std::string(to_string(cell.key.dtype)),
                   size_name(cell.key.size), rows_of(cell.key), title, std::to_string(errors.rows),
                   format_percent(errors.mean_absolute), error_cell(errors.bias),
                   format_percent(cell.roofline.at(at).mean_absolute),
                   format_percent(cell.tiles.at(at).mean_absolute),
                   has_spread ? format_percent(cell.spread.half_range) : "-",
                   has_spread ? format_percent(cell.spread.within) : "-"});
  }
}

ordered_json cell_json(const FidelityCell& cell, GemmFigure quantity, const char* name) {
  const auto at = static_cast<std::size_t>(quantity);
  const CellKey& key = cell.key;
  ordered_json object{{"machine", key.machine},
                      {"dtype", to_string(key.dtype)},
                      {"from_us", key.size == SizeClass::large ? kLargeFromUs : 0},
                      {"stack", key.stack},
                      {"source", key.source},
                      {"use", key.use ? to_string(*key.use) : "scored"},
                      {"quantity", name},
                      {"rows", cell.simulated.at(at).rows}};
  const auto add = [&](const std::string& prefix, const ErrorSummary& errors) {
    object[prefix + "mean_absolute_error"] = json_number(errors.mean_absolute, prefix);
    object[prefix + "bias"] = json_number(errors.bias, prefix);
  };
  add("", cell.simulated.at(at));
  add("roofline_", cell.roofline.at(at));
  add("tiles_", cell.tiles.at(at));
  const SpreadSummary spread = quantity == GemmFigure::dense ? cell.spread : SpreadSummary();
  object["spread_rows"] = spread.rows;
  object["spread_half_range"] = nullptr;
  object["within_spread"] = nullptr;
  if (spread.rows == 0) return object;
  object["spread_half_range"] = json_number(spread.half_range, "spread");
  object["within_spread"] = json_number(spread.within, "within");
  return object;
}

}  // namespace

Table fidelity_table(const std::vector<FidelityCell>& cells, bool with_sources) {
  Table table({{"machine"},
               {"type"},
               {"dense time"},
               {"rows of"},
               {"quantity"},
               {"rows", Align::right},
               {"mean |error|", Align::right},
               {"bias", Align::right},
               {"roofline", Align::right, 2},
               {"tiles", Align::right, 2},
               {"spread", Align::right, 3},
               {"within", Align::right, 3}});
  for (const FidelityCell& cell : cells) {
    if (with_sources || cell.key.source.empty()) add_rows(cell, table);
  }
  return table;
}

std::vector<ordered_json> fidelity_json(const std::vector<FidelityCell>& cells) {
  std::vector<ordered_json> objects;
  for (const FidelityCell& cell : cells) {
    for (const auto& [quantity, key, title] : kGemmFigures) {
      const bool has_rows = cell.simulated.at(static_cast<std::size_t>(quantity)).rows > 0;
      if (has_rows) objects.push_back(cell_json(cell, quantity, key));
    }
  }
  return objects;
}

std::string fidelity_csv(const std::vector<FidelityCell>& cells) {
  return to_csv(cell_json({}, GemmFigure::dense, ""), fidelity_json(cells));
}

}  // namespace stcsim
