#include "reports/study_report.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "reports/format.hpp"
#include "reports/study_notes.hpp"
#include "reports/table.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kNone = "-";
constexpr std::string_view kSpeedupLine =
    "Speedup: dense cycles / cycles, on the same machine; dense runs in the experiment's data type "
    "with its own best kernel.\n";
constexpr std::string_view kLayerLine =
    "Numbers are of one repeat of a layer; a layer marked ×N occurs N times.\n";

/// The items of each machine and network, in order of first appearance.
template <typename Item>
std::vector<std::vector<const Item*>> by_machine_and_network(const std::vector<Item>& items) {
  std::vector<std::vector<const Item*>> groups;
  for (const Item& item : items) {
    const auto same = [&](const std::vector<const Item*>& group) {
      return group.front()->machine == item.machine && group.front()->network == item.network;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({&item});
    } else {
      found->push_back(&item);
    }
  }
  return groups;
}

PhaseTotal gemms_of(const StudyTotal& total, const StudyTotal* baseline) {
  PhaseTotal sum;
  for (const PhaseTotal* part : {&total.forward, &total.dgrad, &total.wgrad}) {
    sum.cycles += part->cycles;
    sum.time_us += part->time_us;
  }
  if (baseline == nullptr || sum.cycles == 0) return sum;
  const PhaseTotal dense = gemms_of(*baseline, nullptr);
  sum.speedup = static_cast<double>(dense.cycles) / static_cast<double>(sum.cycles);
  return sum;
}

/// In the order of the table's columns: forward, dgrad, wgrad, GEMMs, other, step.
std::array<PhaseTotal, 6> columns_of(const StudyTotal& total, const StudyTotal* baseline) {
  return {total.forward, total.dgrad, total.wgrad, gemms_of(total, baseline),
          total.other,   total.step};
}

template <typename Format>
std::vector<std::string> line_of(std::string name, const StudyTotal& total,
                                 const StudyTotal* baseline, Format format) {
  std::vector<std::string> cells{std::move(name)};
  for (const PhaseTotal& part : columns_of(total, baseline)) {
    cells.push_back(part.cycles == 0 ? std::string(kNone) : format(part));
  }
  return cells;
}

void add_scheme_row(Table& table, const StudyTotal& total, const StudyTotal* baseline,
                    bool with_share) {
  std::vector<std::string> cells =
      line_of(total.scheme, total, baseline,
              [](const PhaseTotal& part) { return format_speedup(part.speedup); });
  if (baseline == nullptr) cells.at(4) = kNone;
  cells.push_back(format_time_us(total.step.time_us));
  if (with_share) {
    cells.push_back(total.scheme == kBaselineScheme ? std::string(kNone)
                                                    : format_percent(total.share_of_training));
  }
  table.add_row(std::move(cells));
}

void add_baseline_rows(Table& table, const StudyTotal& baseline, bool with_share) {
  const auto add = [&](const char* name, auto format) {
    std::vector<std::string> cells = line_of(name, baseline, nullptr, format);
    cells.resize(with_share ? cells.size() + 2 : cells.size() + 1);
    table.add_row(std::move(cells));
  };
  table.add_rule();
  add("dense cycles", [](const PhaseTotal& part) { return format_count(part.cycles); });
  add("dense time", [](const PhaseTotal& part) { return format_time_us(part.time_us); });
}

std::string speedup_table(const std::vector<const StudyTotal*>& totals) {
  const auto is_baseline = [](const StudyTotal* total) { return total->scheme == kBaselineScheme; };
  const auto found = std::find_if(totals.begin(), totals.end(), is_baseline);
  const StudyTotal* baseline = found == totals.end() ? nullptr : *found;
  const bool with_share = std::any_of(totals.begin(), totals.end(), [](const StudyTotal* total) {
    return total->share_of_training < 1.0;
  });
  std::vector<Column> columns{{"scheme"}};
  for (const char* header : {"forward", "dgrad", "wgrad", "GEMMs", "other", "step", "step time"}) {
    columns.push_back({header, Align::right});
  }
  if (with_share) columns.push_back({"sparse share", Align::right});
  Table table(std::move(columns));
  for (const StudyTotal* total : totals) add_scheme_row(table, *total, baseline, with_share);
  if (baseline != nullptr) add_baseline_rows(table, *baseline, with_share);
  return totals.front()->network + " on " + totals.front()->machine + ": speedup over dense\n\n" +
         table.to_string() + "\n";
}

std::string shape_of(const ResultRow& row) {
  if (row.phase == "other") return std::string(kNone);
  std::string shape = format_shape(row.m, row.n, row.k, row.batch_count);
  if (row.gemm_count > 1) shape += " (" + std::to_string(row.gemm_count) + " GEMMs)";
  return shape;
}

std::string or_none(const std::string& text) {
  return text.empty() ? std::string(kNone) : text;
}

std::vector<std::string> layer_cells(const ResultRow& row) {
  return {row.repeat == 1 ? row.layer : row.layer + " ×" + std::to_string(row.repeat),
          row.phase == "other" ? "other: " + row.op : row.phase,
          row.scheme,
          shape_of(row),
          row.sparse_operand == "none" ? std::string(kNone) : row.sparse_operand,
          row.pattern,
          row.ran_sparse ? row.hardware_pattern : "dense",
          format_count(row.cycles),
          format_time_us(row.time_us),
          format_speedup(row.speedup),
          format_percent(row.utilization),
          or_none(row.bound_by),
          or_none(row.tile),
          row.reason};
}

std::string layer_table(const std::vector<const ResultRow*>& rows) {
  Table table({{"layer"},
               {"phase"},
               {"scheme"},
               {"m×n×k"},
               {"operand"},
               {"pattern"},
               {"ran"},
               {"cycles", Align::right},
               {"time", Align::right},
               {"speedup", Align::right},
               {"utilisation", Align::right},
               {"bound by"},
               {"tile"},
               {"reason"}});
  for (const ResultRow* row : rows) table.add_row(layer_cells(*row));
  return rows.front()->network + " on " + rows.front()->machine + ": layers\n\n" +
         table.to_string() + "\n";
}

}  // namespace

std::string speedup_tables(const StudyResult& study) {
  std::string text;
  for (const auto& totals : by_machine_and_network(study.totals)) text += speedup_table(totals);
  if (!text.empty()) text += kSpeedupLine;
  return text;
}

std::string layer_tables(const StudyResult& study) {
  std::string text;
  for (const auto& rows : by_machine_and_network(study.rows)) text += layer_table(rows);
  if (!text.empty()) text += kLayerLine;
  return text;
}

std::string study_report(const StudyResult& study, bool with_layers) {
  std::string text;
  const std::array<std::string, 3> parts{
      speedup_tables(study), with_layers ? layer_tables(study) : "", study_notes(study)};
  for (const std::string& part : parts) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace stcsim
