#include "reports/validation/fidelity.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/csv.hpp"
#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "reports/validation/cells.hpp"

namespace stcsim {
namespace {

using Rows = std::vector<const ValidationRow*>;

std::string source_name(const std::string& source) {
  return source.substr(0, source.find(" @"));
}

bool is_in(const ValidationRow& row, const CellKey& key) {
  const MeasuredGemm& gemm = row.gemm;
  if (key.use ? gemm.use != *key.use : !is_scored(gemm.use)) return false;
  if (!key.stack.empty() && gemm.stack != key.stack) return false;
  return key.source.empty() || source_name(gemm.source) == key.source;
}

std::array<ErrorSummary, 3> errors_of(const Rows& rows, GemmTimes ValidationRow::*predicted) {
  std::array<ErrorSummary, 3> errors;
  for (const GemmFigure quantity : {GemmFigure::dense, GemmFigure::sparse, GemmFigure::speedup}) {
    std::vector<std::pair<double, double>> points;
    for (const ValidationRow* const row : rows) {
      const auto point = measured_and_predicted(*row, quantity, predicted);
      if (point) points.push_back(*point);
    }
    errors.at(static_cast<std::size_t>(quantity)) = error_statistics(points);
  }
  return errors;
}

SpreadSummary spread_of(const Rows& rows) {
  SpreadSummary spread;
  for (const ValidationRow* const row : rows) {
    const auto& range = row->gemm.dense_range_us;
    if (!range || !row->simulated.dense_us) continue;
    const auto& [least, most] = *range;
    ++spread.rows;
    spread.half_range += (most - least) / 2 / *row->gemm.measured.dense_us;
    spread.within += least <= *row->simulated.dense_us && *row->simulated.dense_us <= most ? 1 : 0;
  }
  if (spread.rows == 0) return spread;
  spread.half_range /= static_cast<double>(spread.rows);
  spread.within /= static_cast<double>(spread.rows);
  return spread;
}

/// The cells of one machine, data type and size class.
class Group {
 public:
  Group(CellKey key, Rows rows) : key_(std::move(key)), rows_(std::move(rows)) {
    for (const ValidationRow* const row : rows_) {
      const MeasuredGemm& gemm = row->gemm;
      if (is_scored(gemm.use)) stacks_.insert(gemm.stack);
      sources_.insert({source_name(gemm.source), gemm.stack, gemm.use});
      origins_.insert({source_name(gemm.source), gemm.stack});
    }
  }

  void add_to(std::vector<FidelityCell>& cells) const {
    add({}, cells);
    if (origins_.size() > 1) {
      for (const RowUse use : {RowUse::fitting, RowUse::testing, RowUse::shown, RowUse::sealed}) {
        add({"", "", use}, cells);
      }
    }
    for (const std::string& stack : stacks_) {
      if (stacks_.size() > 1) add({"", stack, std::nullopt}, cells);
    }
    for (const Part& part : sources_) add(part, cells);
  }

 private:
  using Part = std::tuple<std::string, std::string, std::optional<RowUse>>;  // source, stack, use

  void add(const Part& part, std::vector<FidelityCell>& cells) const {
    CellKey key = key_;
    std::tie(key.source, key.stack, key.use) = part;
    Rows rows;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(rows),
                 [&](const ValidationRow* row) { return is_in(*row, key); });
    if (rows.empty()) return;
    cells.push_back({key, errors_of(rows, &ValidationRow::simulated),
                     errors_of(rows, &ValidationRow::roofline),
                     errors_of(rows, &ValidationRow::tiles), spread_of(rows)});
  }

  CellKey key_;
  Rows rows_;
  std::set<std::string> stacks_;
  std::set<std::pair<std::string, std::string>> origins_;
  std::set<Part> sources_;
};

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
                      {"from_us", key.size == SizeClass::large ? kValidatedFromUs : 0},
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

SizeClass size_class(const ValidationRow& row) {
  const std::optional<double>& measured = row.gemm.measured.dense_us;
  const double time = measured ? *measured
                      : row.simulated.dense_us
                          ? *row.simulated.dense_us
                          : row.gemm.measured.sparse_us.value_or(kValidatedFromUs);
  return time >= kValidatedFromUs ? SizeClass::large : SizeClass::small;
}

std::vector<FidelityCell> fidelity_cells(const std::vector<ValidationRow>& rows) {
  std::map<std::tuple<std::string, DataType, SizeClass>, Rows> groups;
  for (const ValidationRow& row : rows) {
    if (!row.skipped.empty()) continue;
    groups[{row.machine, row.gemm.problem.dtype, size_class(row)}].push_back(&row);
  }
  std::vector<FidelityCell> cells;
  for (auto& [name, of_group] : groups) {
    const auto& [machine, dtype, size] = name;
    Group({machine, dtype, size}, std::move(of_group)).add_to(cells);
  }
  return cells;
}

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
