#include "reports/run/study_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "common/phase.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kSpeedupLine =
    "Speedup: dense time / time, on the same machine at the same clock; dense runs in the "
    "experiment's data type, its kernels chosen in the same way.\n";
constexpr std::string_view kAlwaysLine =
    "All sparse: the step if every product ran sparse that can; the step leaves those dense whose "
    "gain, pruning paid, does not exceed what gains are off.\n";
constexpr std::string_view kWorkLine =
    "Without pruning: the step without what schemes spend on choosing, compressing and decaying, "
    "as "
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
     {"without pruning", &StudyTotal::step_without_work, 2},
     {"all sparse", &StudyTotal::always},
     {"step", &StudyTotal::step}}};

/// Those in which any of the totals has figures, or would have them had nothing failed.
std::vector<PhaseColumn> shown_phases(const StudyTotals& totals) {
  std::vector<PhaseColumn> shown;
  for (const PhaseColumn& column : kPhaseColumns) {
    const bool is_without_work = column.part == &StudyTotal::step_without_work;
    if (column.part == &StudyTotal::always && !any_of(totals, leaves_dense)) continue;
    if (has_figures(totals, is_without_work ? &StudyTotal::scheme_work : column.part)) {
      shown.push_back(column);
    }
  }
  return shown;
}

/// Share of the GEMMs' multiply-accumulates that ran sparse.
std::string sparse_cell(const StudyTotal& total) {
  if (total.gemms.failed > 0) return kFailedCell;
  const bool says_nothing = is_baseline(total) && total.sparse_share.gemms == 0;
  return says_nothing ? kNothingCell : format_percent(total.sparse_share.gemms);
}

std::vector<TotalColumn> total_columns(const StudyTotals& totals,
                                       const std::vector<PhaseColumn>& phases,
                                       std::string_view step) {
  std::vector<TotalColumn> columns{{{"scheme"}, [](const StudyTotal& one) { return one.scheme; }}};
  for (const PhaseColumn& phase : phases) {
    const bool is_step = phase.part == &StudyTotal::step;
    columns.push_back(speedup_column(is_step ? step : phase.header, phase.part, phase.dispensable));
  }
  columns.push_back({{fmt::format("{} time", step), Align::right}, &step_time_cell});
  const auto says_sparse = [](const StudyTotal& one) {
    return !is_baseline(one) || one.sparse_share.gemms > 0;
  };
  if (any_of(totals, says_sparse)) {
    columns.push_back({{"sparse MACs", Align::right, 3}, &sparse_cell});
  }
  if (any_of(totals, has_dense_steps)) {
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

std::string speedup_table(const StudyTotals& totals, std::size_t width) {
  const StudyTotal& first = *totals.front();
  const std::vector<PhaseColumn> phases = shown_phases(totals);
  const std::vector<TotalColumn> columns = total_columns(totals, phases, step_word(first));
  Table table = table_of(columns, totals);
  const auto baseline = std::ranges::find_if(totals, [](auto* one) { return is_baseline(*one); });
  if (baseline != totals.end()) add_baseline_rows(table, **baseline, phases, columns.size());
  std::string how = first.stack.empty() ? "" : "software: " + first.stack + "\n";
  if (const std::string clock = clock_text(first); !clock.empty()) how += clock + "\n";
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

std::string layer_table(const std::vector<const FoldedRow*>& rows, std::size_t width) {
  using Row = ResultRow;
  const auto of = [](auto cell) { return [cell](const FoldedRow& one) { return cell(*one.row); }; };
  const std::vector<DescribedColumn<FoldedRow>> columns{
      {{"layer"}, of(&name_with_repeat)},
      {{"phase"}, of(&phase_of)},
      {{"scheme", Align::left, 0, true},
       [](const FoldedRow& one) { return one.scheme_names(", "); }},
      {{"m×n×k"}, of(&shape_of)},
      {{"operand", Align::left, 5}, of(&operand_of)},
      {{"pattern", Align::left, 4}, of([](const Row& row) { return row.pattern.to_string(); })},
      {{"ran"}, of([](const Row& row) {
         return (row.ran_sparse ? row.hardware_pattern : kDense).to_string();
       })},
      {{"cycles", Align::right}, of([](const Row& row) { return format_count(row.cycles); })},
      {{"time", Align::right, 3}, of([](const Row& row) { return format_time_us(row.time_us); })},
      {{std::string(kSpeedupKey.name), Align::right},
       of([](const Row& row) { return format_speedup(row.speedup); })},
      {{"utilisation", Align::right, 2},
       of([](const Row& row) { return format_percent(row.utilization); })},
      {{"bound by", Align::left, 1}, of([](const Row& row) { return or_none(row.bound_by); })},
      {{"tile", Align::left, 6}, of([](const Row& row) { return or_none(row.kernel.tile()); })},
      {{"reason", Align::left, 7}, of([](const Row& row) { return row.reason; })}};
  const ResultRow& first = *rows.front()->row;
  return first.network + " on " + first.machine + ": layers\n\n" +
         table_of(columns, rows).to_string(width) + "\n";
}

/// Which options show what is not printed.
std::string rest_line(const ReportOptions& options, const std::string& notes) {
  std::vector<std::string> rest;
  if (!options.layers) {
    rest.emplace_back("--layers (phases, parts of the step, memory, losses, each layer)");
  }
  const auto count = std::ranges::count(notes, '\n');
  if (!options.notes && count > 0) {
    rest.push_back(fmt::format("--notes ({} of what ran dense, and why)", count));
  }
  return rest.empty() ? "" : fmt::format("more: {}\n", fmt::join(rest, ", "));
}

/// Share of the dense GEMMs' time that is saved if the scheme also spends `spent_us`.
std::string saved_cell(const StudyTotal& total, double spent_us) {
  if (total.gemms.failed > 0 || (spent_us > 0 && total.scheme_work.failed > 0)) return kFailedCell;
  if (total.gemms.cycles == 0) return kNothingCell;
  return format_percent(1.0 - (total.gemms.time_us + spent_us) / total.gemms.dense_time_us);
}

Table speedup_table(const StudyTotals& totals, bool has_best) {
  std::vector<TotalColumn> columns{
      {{"scheme"}, [](const StudyTotal& one) { return one.scheme; }},
      speedup_column(title_of(Phase::forward), &StudyTotal::forward),
      speedup_column(title_of(Phase::dgrad), &StudyTotal::dgrad),
      speedup_column(title_of(Phase::wgrad), &StudyTotal::wgrad),
      speedup_column("GEMMs", &StudyTotal::gemms),
      {{"GEMM time saved", Align::right}, [](const StudyTotal& one) { return saved_cell(one, 0); }},
      {{"with pruning charged", Align::right},
       [](const StudyTotal& one) { return saved_cell(one, one.scheme_work.time_us); }},
      speedup_column("step without pruning", &StudyTotal::step_without_work),
      speedup_column("step", &StudyTotal::step),
      {{"step time", Align::right}, &step_time_cell}};
  if (any_of(totals, [](const auto& one) { return one.interval.is_known(); })) {
    columns.push_back({{"likely", Align::right}, &likely_cell});
    columns.push_back({{"verdict"}, &verdict_cell});
  }
  if (any_of(totals, has_dense_steps))
    columns.push_back(speedup_column("training", &StudyTotal::training));
  if (any_of(totals, leaves_dense))
    columns.push_back(speedup_column("always", &StudyTotal::always));
  if (has_best) columns.push_back({{"all kernels", Align::right}, &all_kernels_cell});
  return table_of(columns, totals);
}

/// "The dense GEMMs take 33.6 ms of the step's 80.0 ms: forward 33.9 %, ...".
std::string dense_shares(const StudyTotal& dense) {
  const auto share = [&](const PhaseTotal& part) {
    return format_percent(dense.gemms.time_us > 0 ? part.time_us / dense.gemms.time_us : 0);
  };
  const bool is_training = dense.pass == kTrainingPass;
  std::string text =
      fmt::format("Dense, the GEMMs take {} of the {}'s {}", format_time_us(dense.gemms.time_us),
                  step_word(dense), format_time_us(dense.step.time_us));
  if (is_training) {
    text += fmt::format(": {} {} of it, {} {}, {} {}", title_of(Phase::forward),
                        share(dense.forward), title_of(Phase::dgrad), share(dense.dgrad),
                        title_of(Phase::wgrad), share(dense.wgrad));
  }
  return text + ".\n\n";
}

std::string section(const StudyTotals& totals, bool has_best) {
  const StudyTotal& first = *totals.front();
  std::string text = fmt::format("## {}\n\n", place_of(first));
  if (!first.stack.empty()) text += fmt::format("Software: {}.\n\n", first.stack);
  if (const std::string clock = clock_text(first); !clock.empty()) {
    text += fmt::format("C{}.\n\n", clock.substr(1));
  }
  text += speedup_table(totals, has_best && any_of(totals, has_best_kernels)).to_markdown() + "\n";
  for (const StudyTotal* const total : totals) {
    if (is_baseline(*total) && total->is_complete()) text += dense_shares(*total);
  }
  return text;
}

}  // namespace

std::string speedup_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) text += speedup_table(totals, width);
  if (text.empty()) return text;
  std::string lines(kSpeedupLine);
  if (std::ranges::any_of(study.totals, &leaves_dense)) lines += kAlwaysLine;
  const auto has_work = [](const StudyTotal& total) { return total.scheme_work.cycles > 0; };
  if (std::ranges::any_of(study.totals, has_work)) lines += kWorkLine;
  return text + wrap_lines(lines, width);
}

std::string layer_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  const auto alike = [](const FoldedRow& one, const FoldedRow& other) {
    return one.row->machine == other.row->machine && one.row->network == other.row->network;
  };
  const std::vector<FoldedRow> folded = folded_rows(study.rows);
  for (const auto& rows : groups_of(folded, alike)) text += layer_table(rows, width);
  if (!text.empty()) text += kLayerLine;
  return text;
}

std::string study_report(const StudyResult& study, const ReportOptions& options) {
  const std::size_t width = options.width;
  std::vector<std::string> parts{wrap_lines(study_answer(study), width),
                                 summary_tables(study, width)};
  if (options.layers) {
    parts.insert(parts.end(),
                 {speedup_tables(study, width), kind_tables(study, width),
                  memory_tables(study, width), losses_tables(study, width, options.called_as),
                  measured_tables(study, width), layer_tables(study, width)});
  }
  const std::string notes = study_notes(study);
  parts.push_back(wrap_lines(options.notes ? notes : "", width));
  parts.push_back(wrap_lines(closing_notes(study) + rest_line(options, notes), width) +
                  next_of_study(study, width, options.otherwise, options.called_as));
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty() && !part.empty()) text += "\n";
    text += part;
  }
  return text;
}

std::string study_markdown(const StudyResult& study) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += section(totals, has_best);
  const std::string notes = memory_notes(study) + study_notes(study) + closing_notes(study);
  return notes.empty() ? text : text + "## Notes\n\n" + markdown_list(notes);
}

}  // namespace stcsim
