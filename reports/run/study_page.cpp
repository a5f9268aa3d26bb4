#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/phase.hpp"
#include "reports/parts/described_table.hpp"
#include "reports/parts/study_groups.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_notes.hpp"
#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

/// Share of the dense GEMMs' time that is saved if the scheme also spends `spent_us`.
std::string saved_cell(const StudyTotal& total, double spent_us) {
  if (total.gemms.failed > 0 || (spent_us > 0 && total.scheme_work.failed > 0)) return kFailedCell;
  if (total.gemms.cycles == 0) return kNothingCell;
  return format_percent(1.0 - (total.gemms.time_us + spent_us) / total.gemms.dense_time_us);
}

TotalColumn speedup_column(std::string_view header, PhaseTotal StudyTotal::*part) {
  return {{std::string(header), Align::right},
          [part](const StudyTotal& one) { return speedup_cell(one.*part); }};
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
  if (std::ranges::any_of(totals, [](const auto* one) { return one->interval.is_known(); })) {
    columns.push_back({{"likely", Align::right}, &likely_cell});
    columns.push_back({{"verdict"}, &verdict_cell});
  }
  if (any_dense_steps(totals)) columns.push_back(speedup_column("training", &StudyTotal::training));
  if (any_leaves_dense(totals)) columns.push_back(speedup_column("always", &StudyTotal::always));
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
  text += speedup_table(totals, has_best && any_best_kernels(totals)).to_markdown() + "\n";
  for (const StudyTotal* const total : totals) {
    if (is_baseline(*total) && total->is_complete()) text += dense_shares(*total);
  }
  return text;
}

}  // namespace

std::string study_markdown(const StudyResult& study) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += section(totals, has_best);
  const std::string notes = memory_notes(study) + study_notes(study) + closing_notes(study);
  return notes.empty() ? text : text + "## Notes\n\n" + markdown_list(notes);
}

}  // namespace stcsim
