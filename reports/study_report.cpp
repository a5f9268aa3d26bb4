#include "reports/study_report.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/io/format.hpp"
#include "common/phase.hpp"
#include "reports/described_table.hpp"
#include "reports/step_tables.hpp"
#include "reports/study_groups.hpp"
#include "reports/study_lines.hpp"
#include "reports/study_measured.hpp"
#include "reports/study_notes.hpp"

namespace stcsim {
namespace {

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
  int dispensable = 0;  // as of a Column
};
/// Of `other` the table of where the time goes says all.
constexpr std::array<PhaseColumn, 8> kPhaseColumns{
    {{title_of(Phase::forward), &StudyTotal::forward},
     {title_of(Phase::dgrad), &StudyTotal::dgrad},
     {title_of(Phase::wgrad), &StudyTotal::wgrad},
     {"GEMMs", &StudyTotal::gemms},
     {"other", &StudyTotal::other, 1},
     {"pruning free", &StudyTotal::step_without_work, 2},
     {"always", &StudyTotal::always},
     {"step", &StudyTotal::step}}};

/// Those in which any of the totals has figures, or would have them had nothing failed.
std::vector<PhaseColumn> shown_phases(const StudyTotals& totals) {
  const auto has_part = [&](PhaseTotal StudyTotal::*part) {
    return std::ranges::any_of(totals, [part](const StudyTotal* total) {
      return (total->*part).cycles > 0 || (total->*part).failed > 0;
    });
  };
  std::vector<PhaseColumn> shown;
  for (const PhaseColumn& column : kPhaseColumns) {
    const bool is_without_work = column.part == &StudyTotal::step_without_work;
    if (column.part == &StudyTotal::always && !any_leaves_dense(totals)) continue;
    if (has_part(is_without_work ? &StudyTotal::scheme_work : column.part)) shown.push_back(column);
  }
  return shown;
}

/// Share of the GEMMs' multiply-accumulates that ran sparse.
std::string sparse_cell(const StudyTotal& total) {
  if (total.gemms.failed > 0) return kFailedCell;
  const bool says_nothing = is_baseline(total) && total.sparse_share.gemms == 0;
  return says_nothing ? kNothingCell : format_percent(total.sparse_share.gemms);
}

/// Of the scheme's gain, and how much ran sparse.
void add_last_columns(const StudyTotals& totals, bool has_best, std::vector<TotalColumn>& columns) {
  if (std::ranges::any_of(totals, [](const auto* one) { return has_verdict(*one); })) {
    columns.push_back({{"between", Align::right}, &between_cell});
    columns.push_back({{"than dense", Align::left, 0, true}, &verdict_cell});
  }
  if (has_best && any_best_kernels(totals)) {
    columns.push_back({{"all kernels", Align::right}, &all_kernels_cell});
  }
  const auto says_sparse = [](const StudyTotal* one) {
    return !is_baseline(*one) || one->sparse_share.gemms > 0;
  };
  if (std::ranges::any_of(totals, says_sparse)) {
    columns.push_back({{"sparse MACs", Align::right, 3}, &sparse_cell});
  }
}

std::vector<TotalColumn> total_columns(const StudyTotals& totals,
                                       const std::vector<PhaseColumn>& phases,
                                       const std::string& step, bool has_best) {
  std::vector<TotalColumn> columns{{{"scheme"}, [](const StudyTotal& one) { return one.scheme; }}};
  for (const PhaseColumn& phase : phases) {
    const bool is_step = phase.part == &StudyTotal::step;
    columns.push_back(
        {{is_step ? step : std::string(phase.header), Align::right, phase.dispensable},
         [part = phase.part](const StudyTotal& one) { return speedup_cell(one.*part); }});
  }
  columns.push_back({{step + " time", Align::right}, &step_time_cell});
  const bool has_share = any_dense_steps(totals);
  if (has_share) {
    columns.push_back({{"training", Align::right}, [](const StudyTotal& one) {
                         return one.is_complete() ? format_speedup(one.training.speedup)
                                                  : kFailedCell;
                       }});
  }
  add_last_columns(totals, has_best, columns);
  if (has_share) {
    columns.push_back({{"of training", Align::right, 2}, [](const StudyTotal& one) {
                         return is_baseline(one) ? kNothingCell
                                                 : format_percent(one.share_of_training);
                       }});
  }
  return columns;
}

/// The dense step's cycles and times, and those of its optimizer, in so many columns.
void add_baseline_rows(Table& table, const StudyTotal& baseline,
                       const std::vector<PhaseColumn>& phases, std::size_t columns) {
  const auto add = [&](const char* name, auto format) {
    std::vector<std::string> cells{name};
    for (const PhaseColumn& phase : phases) {
      cells.push_back(part_cell(baseline.*phase.part, format));
    }
    cells.resize(columns);
    table.add_row(std::move(cells));
  };
  table.add_rule();
  add("dense cycles", [](const PhaseTotal& part) { return format_amount(part.cycles); });
  add("dense time", [](const PhaseTotal& part) { return format_time_us(part.time_us); });
  if (baseline.optimizer.cycles == 0) return;
  std::vector<std::string> optimizer(columns);
  optimizer.front() = "optimizer";
  optimizer[phases.size()] = format_amount(baseline.optimizer.cycles);
  optimizer[phases.size() + 1] = format_time_us(baseline.optimizer.time_us);
  table.add_row(std::move(optimizer));
}

std::string speedup_table(const StudyTotals& totals, bool has_best, std::size_t width) {
  const StudyTotal& first = *totals.front();
  const std::vector<PhaseColumn> phases = shown_phases(totals);
  const std::string step = first.pass == StudyPass::training ? "step" : "pass";
  const std::vector<TotalColumn> columns = total_columns(totals, phases, step, has_best);
  Table table = table_of(columns, totals);
  const auto baseline = std::ranges::find_if(totals, [](auto* one) { return is_baseline(*one); });
  if (baseline != totals.end()) add_baseline_rows(table, **baseline, phases, columns.size());
  std::string how = first.stack.empty() ? "" : "software: " + first.stack + "\n";
  if (const std::string clock = clock_text(first); !clock.empty()) how += clock + "\n";
  if (const std::string energy = energy_text(totals); !energy.empty()) how += energy + "\n";
  return place_of(first) + ": speedup over dense\n" + wrap_lines(how, width) + "\n" +
         table.to_string(width) + "\n";
}

std::string shape_of(const ResultRow& row) {
  if (!row.is_gemm()) return kNothingCell;
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
  return text.empty() ? kNothingCell : text;
}

std::string operand_of(const ResultRow& row) {
  return row.sparse_operand ? std::string(to_string(*row.sparse_operand)) : kNothingCell;
}

std::string layer_table(const std::vector<const ResultRow*>& rows, std::size_t width) {
  using Row = ResultRow;
  const std::vector<DescribedColumn<Row>> columns{
      {{"layer"}, &name_with_repeat},
      {{"phase"}, &phase_of},
      {{"scheme"}, [](const Row& row) { return row.scheme; }},
      {{"m×n×k"}, &shape_of},
      {{"operand", Align::left, 5}, &operand_of},
      {{"pattern", Align::left, 4}, [](const Row& row) { return row.pattern.to_string(); }},
      {{"ran"},
       [](const Row& row) { return (row.ran_sparse ? row.hardware_pattern : kDense).to_string(); }},
      {{"cycles", Align::right}, [](const Row& row) { return format_count(row.cycles); }},
      {{"time", Align::right, 3}, [](const Row& row) { return format_time_us(row.time_us); }},
      {{"speedup", Align::right}, [](const Row& row) { return format_speedup(row.speedup); }},
      {{"utilisation", Align::right, 2},
       [](const Row& row) { return format_percent(row.utilization); }},
      {{"bound by", Align::left, 1}, [](const Row& row) { return or_none(row.bound_by); }},
      {{"tile", Align::left, 6}, [](const Row& row) { return or_none(row.kernel.tile()); }},
      {{"reason", Align::left, 7}, [](const Row& row) { return row.reason; }}};
  return rows.front()->network + " on " + rows.front()->machine + ": layers\n\n" +
         table_of(columns, rows).to_string(width) + "\n";
}

}  // namespace

std::string speedup_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += speedup_table(totals, has_best, width);
  if (text.empty()) return text;
  std::string lines(kSpeedupLine);
  const auto has_failed = [](const StudyTotal& total) { return !total.is_complete(); };
  if (std::ranges::any_of(study.totals, has_failed)) lines += kFailedLine;
  const auto has_dense_steps = [](const StudyTotal& total) { return total.share_of_training < 1; };
  if (std::ranges::any_of(study.totals, has_dense_steps)) lines += kTrainingLine;
  lines += interval_line(study);
  if (std::ranges::any_of(study.totals, &leaves_dense)) lines += kAlwaysLine;
  if (has_best) lines += kBestLine;
  const auto has_work = [](const StudyTotal& total) { return total.scheme_work.cycles > 0; };
  if (std::ranges::any_of(study.totals, has_work)) lines += kWorkLine;
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
        losses_tables(study, options.loss_schemes, width), measured_tables(study, width),
        options.layers ? layer_tables(study, width) : "", wrap_lines(notes, width)}) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace stcsim
