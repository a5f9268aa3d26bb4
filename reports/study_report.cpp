#include "reports/study_report.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "common/phase.hpp"
#include "reports/step_tables.hpp"
#include "reports/study_groups.hpp"
#include "reports/study_lines.hpp"
#include "reports/study_notes.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kNone = "-";
constexpr std::string_view kFailed = "failed";
constexpr std::string_view kFailedLine =
    "failed: points of this sum could not be simulated, see below.\n";
constexpr std::string_view kSpeedupLine =
    "Speedup: dense time / time, on the same machine at the same clock; dense runs in the "
    "experiment's data type, its kernels chosen in the same way.\n";
constexpr std::string_view kTrainingLine =
    "Training: the mean step of a training of which so much is sparse and the rest dense; between "
    "and than dense are of it, all else is of a sparse step.\n";
constexpr std::string_view kAlwaysLine =
    "Always: the step if every product ran sparse that can; the step leaves those dense whose "
    "gain, "
    "pruning paid, does not exceed what gains are off.\n";
constexpr std::string_view kBestLine =
    "All kernels: what a training gains with the best of all kernels, which machines without "
    "libraries choose from: compare machines by it.\n";
constexpr std::string_view kWorkLine =
    "Pruning free: the step without what schemes spend on choosing, compressing and decaying, as "
    "publications count.\n";
constexpr std::string_view kLayerLine =
    "Numbers are of one repeat of a layer; a layer marked ×N occurs N times.\n";

struct PhaseColumn {
  std::string_view header;
  PhaseTotal StudyTotal::*part;
};
constexpr std::array<PhaseColumn, 8> kPhaseColumns{
    {{title_of(Phase::forward), &StudyTotal::forward},
     {title_of(Phase::dgrad), &StudyTotal::dgrad},
     {title_of(Phase::wgrad), &StudyTotal::wgrad},
     {"GEMMs", &StudyTotal::gemms},
     {"other", &StudyTotal::other},
     {"pruning free", &StudyTotal::step_without_work},
     {"always", &StudyTotal::always},
     {"step", &StudyTotal::step}}};

/// Which columns a table has besides those that every table has.
struct TableParts {
  std::vector<PhaseColumn> phases;
  bool sparse_macs = false;
  bool share = false;
  bool interval = false;
  bool best = false;

  /// Columns behind that of the step's time.
  [[nodiscard]] std::size_t last_columns() const {
    return (sparse_macs ? 1U : 0U) + (share ? 2U : 0U) + (interval ? 2U : 0U) + (best ? 1U : 0U);
  }
};

/// Whether any of the totals has figures there, or would have them had nothing failed.
bool has_part(const std::vector<const StudyTotal*>& totals, PhaseTotal StudyTotal::*part) {
  return std::any_of(totals.begin(), totals.end(), [part](const StudyTotal* total) {
    return (total->*part).cycles > 0 || (total->*part).failed > 0;
  });
}

/// Dense is what others are held against.
bool has_verdict(const StudyTotal& total) {
  return total.interval.is_known() && total.scheme != kBaselineScheme;
}

TableParts parts_of(const std::vector<const StudyTotal*>& totals) {
  TableParts parts;
  for (const PhaseColumn& column : kPhaseColumns) {
    const bool is_without_work = column.part == &StudyTotal::step_without_work;
    if (column.part == &StudyTotal::always &&
        std::none_of(totals.begin(), totals.end(),
                     [](auto* total) { return leaves_dense(*total); })) {
      continue;
    }
    if (has_part(totals, is_without_work ? &StudyTotal::scheme_work : column.part)) {
      parts.phases.push_back(column);
    }
  }
  for (const StudyTotal* const total : totals) {
    parts.share = parts.share || total->share_of_training < 1.0;
    parts.interval = parts.interval || has_verdict(*total);
    parts.sparse_macs =
        parts.sparse_macs || total->scheme != kBaselineScheme || total->sparse_share.gemms > 0;
  }
  return parts;
}

template <typename Format>
std::vector<std::string> line_of(std::string name, const StudyTotal& total, const TableParts& parts,
                                 Format format) {
  std::vector<std::string> cells{std::move(name)};
  for (const PhaseColumn& column : parts.phases) {
    const PhaseTotal& part = total.*column.part;
    if (part.failed > 0) {
      cells.emplace_back(kFailed);
    } else {
      cells.push_back(part.cycles == 0 ? std::string(kNone) : format(part));
    }
  }
  return cells;
}

/// Share of the GEMMs' multiply-accumulates that ran sparse.
std::string sparse_cell(const StudyTotal& total) {
  if (total.gemms.failed > 0) return std::string(kFailed);
  const bool says_nothing = total.scheme == kBaselineScheme && total.sparse_share.gemms == 0;
  return says_nothing ? std::string(kNone) : format_percent(total.sparse_share.gemms);
}

void add_scheme_row(Table& table, const StudyTotal& total, const TableParts& parts) {
  std::vector<std::string> cells = line_of(total.scheme, total, parts, [](const PhaseTotal& part) {
    return format_speedup(part.speedup);
  });
  cells.push_back(total.is_complete() ? format_time_us(total.step.time_us) : std::string(kFailed));
  if (parts.share) {
    cells.push_back(total.is_complete() ? format_speedup(total.training.speedup)
                                        : std::string(kFailed));
  }
  if (parts.interval) {
    const bool is_told = has_verdict(total);
    cells.push_back(is_told ? format_between(total.interval) : std::string(kNone));
    cells.emplace_back(is_told ? total.interval.verdict() : kNone);
  }
  if (parts.best) cells.push_back(all_kernels_cell(total));
  if (parts.sparse_macs) cells.push_back(sparse_cell(total));
  if (parts.share) {
    cells.push_back(total.scheme == kBaselineScheme ? std::string(kNone)
                                                    : format_percent(total.share_of_training));
  }
  table.add_row(std::move(cells));
}

/// The dense step's cycles and times, and those of its optimizer.
void add_baseline_rows(Table& table, const StudyTotal& baseline, const TableParts& parts) {
  const auto add = [&](const char* name, auto format) {
    std::vector<std::string> cells = line_of(name, baseline, parts, format);
    cells.resize(cells.size() + 1 + parts.last_columns());
    table.add_row(std::move(cells));
  };
  table.add_rule();
  add("dense cycles", [](const PhaseTotal& part) { return format_amount(part.cycles); });
  add("dense time", [](const PhaseTotal& part) { return format_time_us(part.time_us); });
  if (baseline.optimizer.cycles == 0) return;
  std::vector<std::string> optimizer{"optimizer"};
  optimizer.resize(parts.phases.size() + 2 + parts.last_columns());
  optimizer[parts.phases.size()] = format_amount(baseline.optimizer.cycles);
  optimizer[parts.phases.size() + 1] = format_time_us(baseline.optimizer.time_us);
  table.add_row(std::move(optimizer));
}

std::string speedup_table(const std::vector<const StudyTotal*>& totals, bool has_best,
                          std::size_t width) {
  TableParts parts = parts_of(totals);
  parts.best = has_best && std::ranges::any_of(totals, [](const StudyTotal* total) {
                 return with_best_kernels(*total) != nullptr;
               });
  const std::string step = totals.front()->pass == kTrainingPass ? "step" : "pass";
  std::vector<Column> columns{{"scheme"}};
  for (const PhaseColumn& column : parts.phases) {
    const bool is_step = column.part == &StudyTotal::step;
    // What else there is, the table of where the time goes says in full.
    const bool is_other = column.part == &StudyTotal::other;
    const int dispensable = column.part == &StudyTotal::step_without_work ? 2 : is_other ? 1 : 0;
    columns.push_back({is_step ? step : std::string(column.header), Align::right, dispensable});
  }
  columns.push_back({step + " time", Align::right});
  if (parts.share) columns.push_back({"training", Align::right});
  if (parts.interval) {
    columns.push_back({"between", Align::right});
    columns.push_back({"than dense", Align::left, 0, true});
  }
  if (parts.best) columns.push_back({"all kernels", Align::right});
  if (parts.sparse_macs) columns.push_back({"sparse MACs", Align::right, 3});
  if (parts.share) columns.push_back({"of training", Align::right, 2});
  Table table(std::move(columns));
  for (const StudyTotal* total : totals) add_scheme_row(table, *total, parts);
  const auto baseline = std::find_if(totals.begin(), totals.end(), [](const StudyTotal* total) {
    return total->scheme == kBaselineScheme;
  });
  if (baseline != totals.end()) add_baseline_rows(table, **baseline, parts);
  const StudyTotal& first = *totals.front();
  std::string how = first.stack.empty() ? "" : "software: " + first.stack + "\n";
  if (const std::string clock = clock_text(first); !clock.empty()) how += clock + "\n";
  if (const std::string energy = energy_text(totals); !energy.empty()) how += energy + "\n";
  return place_of(first) + ": speedup over dense\n" + wrap_lines(how, width) + "\n" +
         table.to_string(width) + "\n";
}

std::string shape_of(const ResultRow& row) {
  if (!row.is_gemm()) return std::string(kNone);
  std::string shape = format_shape(row.m, row.n, row.k, row.batch_count);
  if (row.gemm_count > 1) shape += " (" + std::to_string(row.gemm_count) + " GEMMs)";
  return shape;
}

std::string phase_of(const ResultRow& row) {
  const std::string phase(to_string(row.phase));
  if (row.phase <= RowPhase::wgrad) return std::string(title_of(static_cast<Phase>(row.phase)));
  if (row.is_gemm() || row.op == phase) return phase;
  const std::string text = phase + ": " + row.op;
  return row.every == 1 ? text : text + ", every " + std::to_string(row.every) + " steps";
}

std::string or_none(const std::string& text) {
  return text.empty() ? std::string(kNone) : text;
}

std::vector<std::string> layer_cells(const ResultRow& row) {
  return {row.repeat == 1 ? row.layer : row.layer + " ×" + std::to_string(row.repeat),
          phase_of(row),
          row.scheme,
          shape_of(row),
          row.sparse_operand ? std::string(to_string(*row.sparse_operand)) : std::string(kNone),
          row.pattern.to_string(),
          (row.ran_sparse ? row.hardware_pattern : kDense).to_string(),
          format_count(row.cycles),
          format_time_us(row.time_us),
          format_speedup(row.speedup),
          format_percent(row.utilization),
          or_none(row.bound_by),
          or_none(row.kernel.tile()),
          row.reason};
}

std::string layer_table(const std::vector<const ResultRow*>& rows, std::size_t width) {
  Table table({{"layer"},
               {"phase"},
               {"scheme"},
               {"m×n×k"},
               {"operand", Align::left, 5},
               {"pattern", Align::left, 4},
               {"ran"},
               {"cycles", Align::right},
               {"time", Align::right, 3},
               {"speedup", Align::right},
               {"utilisation", Align::right, 2},
               {"bound by", Align::left, 1},
               {"tile", Align::left, 6},
               {"reason", Align::left, 7}});
  for (const ResultRow* row : rows) table.add_row(layer_cells(*row));
  return rows.front()->network + " on " + rows.front()->machine + ": layers\n\n" +
         table.to_string(width) + "\n";
}

}  // namespace

std::string speedup_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += speedup_table(totals, has_best, width);
  if (text.empty()) return text;
  std::string lines(kSpeedupLine);
  const auto has_failed = [](const StudyTotal& total) { return !total.is_complete(); };
  if (std::any_of(study.totals.begin(), study.totals.end(), has_failed)) lines += kFailedLine;
  const auto has_dense_steps = [](const StudyTotal& total) { return total.share_of_training < 1; };
  if (std::any_of(study.totals.begin(), study.totals.end(), has_dense_steps)) {
    lines += kTrainingLine;
  }
  lines += interval_line(study);
  if (std::ranges::any_of(study.totals, &leaves_dense)) lines += kAlwaysLine;
  if (has_best) lines += kBestLine;
  const auto has_work = [](const StudyTotal& total) { return total.scheme_work.cycles > 0; };
  if (std::any_of(study.totals.begin(), study.totals.end(), has_work)) lines += kWorkLine;
  return text + wrap_lines(lines, width);
}

std::string layer_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const auto& rows : by_machine_and_network(study.rows)) text += layer_table(rows, width);
  if (!text.empty()) text += kLayerLine;
  return text;
}

std::string study_report(const StudyResult& study, const ReportOptions& options) {
  const std::size_t width = options.width;
  const std::string notes = options.all_notes ? study_notes(study) : folded_study_notes(study);
  std::string text;
  for (const std::string& part :
       {wrap_lines(study_answer(study), width), speedup_tables(study, width),
        kind_tables(study, width), memory_tables(study, width),
        losses_tables(study, options.loss_schemes, width),
        options.layers ? layer_tables(study, width) : "", wrap_lines(notes, width)}) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace stcsim
