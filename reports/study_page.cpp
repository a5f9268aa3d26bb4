#include "reports/study_page.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "common/io/table.hpp"
#include "common/phase.hpp"
#include "reports/study_groups.hpp"
#include "reports/study_lines.hpp"
#include "reports/study_notes.hpp"
#include "reports/study_report.hpp"

namespace stcsim {
namespace {

constexpr const char* kNothing = "-";
constexpr const char* kFailedCell = "failed";

std::string speedup_cell(const PhaseTotal& part) {
  if (part.failed > 0) return kFailedCell;
  return part.cycles == 0 ? kNothing : format_speedup(part.speedup);
}

/// Share of the dense GEMMs' time that is saved if the scheme also spends `spent_us`.
std::string saved_cell(const StudyTotal& total, double spent_us) {
  if (total.gemms.failed > 0 || (spent_us > 0 && total.scheme_work.failed > 0)) return kFailedCell;
  if (total.gemms.cycles == 0) return kNothing;
  return format_percent(1.0 - (total.gemms.time_us + spent_us) / total.gemms.dense_time_us);
}

void add_interval_cells(std::vector<std::string>& cells, const StudyTotal& total) {
  const bool is_told = total.interval.is_known() && total.scheme != kBaselineScheme;
  cells.push_back(is_told ? format_between(total.interval) : kNothing);
  cells.push_back(is_told ? std::string(total.interval.verdict()) : kNothing);
}

Table speedup_table(const std::vector<const StudyTotal*>& totals, bool has_best) {
  std::vector<Column> columns{{"scheme"}};
  for (const std::string_view header :
       {title_of(Phase::forward), title_of(Phase::dgrad), title_of(Phase::wgrad),
        std::string_view("GEMMs"), std::string_view("GEMM time saved"),
        std::string_view("with pruning charged"), std::string_view("step, pruning free"),
        std::string_view("step"), std::string_view("step time")}) {
    columns.push_back({std::string(header), Align::right});
  }
  const bool has_intervals = std::any_of(
      totals.begin(), totals.end(), [](const auto* total) { return total->interval.is_known(); });
  if (has_intervals) columns.insert(columns.end(), {{"between", Align::right}, {"than dense"}});
  const bool has_dense_steps = std::any_of(
      totals.begin(), totals.end(), [](const auto* total) { return total->share_of_training < 1; });
  if (has_dense_steps) columns.push_back({"training", Align::right});
  const bool has_always =
      std::ranges::any_of(totals, [](const auto* total) { return leaves_dense(*total); });
  if (has_always) columns.push_back({"always", Align::right});
  if (has_best) columns.push_back({"all kernels", Align::right});
  Table table(std::move(columns));
  for (const StudyTotal* const total : totals) {
    std::vector<std::string> cells{
        total->scheme,
        speedup_cell(total->forward),
        speedup_cell(total->dgrad),
        speedup_cell(total->wgrad),
        speedup_cell(total->gemms),
        saved_cell(*total, 0),
        saved_cell(*total, total->scheme_work.time_us),
        speedup_cell(total->step_without_work),
        speedup_cell(total->step),
        total->is_complete() ? format_time_us(total->step.time_us) : kFailedCell};
    if (has_intervals) add_interval_cells(cells, *total);
    if (has_dense_steps) cells.push_back(speedup_cell(total->training));
    if (has_always) cells.push_back(speedup_cell(total->always));
    if (has_best) cells.push_back(all_kernels_cell(*total));
    table.add_row(std::move(cells));
  }
  return table;
}

/// "The dense GEMMs take 33.6 ms of the step's 80.0 ms: forward 33.9 %, ...".
std::string dense_shares(const StudyTotal& dense) {
  const auto share = [&](const PhaseTotal& part) {
    return format_percent(dense.gemms.time_us > 0 ? part.time_us / dense.gemms.time_us : 0);
  };
  const bool is_training = dense.pass == kTrainingPass;
  std::string text =
      fmt::format("Dense, the GEMMs take {} of the {}'s {}", format_time_us(dense.gemms.time_us),
                  is_training ? "step" : "pass", format_time_us(dense.step.time_us));
  if (is_training) {
    text += fmt::format(": {} {} of it, {} {}, {} {}", title_of(Phase::forward),
                        share(dense.forward), title_of(Phase::dgrad), share(dense.dgrad),
                        title_of(Phase::wgrad), share(dense.wgrad));
  }
  return text + ".\n\n";
}

std::string section(const std::vector<const StudyTotal*>& totals, bool has_best) {
  const StudyTotal& first = *totals.front();
  std::string text = fmt::format("## {}\n\n", place_of(first));
  if (!first.stack.empty()) text += fmt::format("Software: {}.\n\n", first.stack);
  if (const std::string clock = clock_text(first); !clock.empty()) {
    text += fmt::format("C{}.\n\n", clock.substr(1));
  }
  const bool is_with_libraries = std::ranges::any_of(
      totals, [](const StudyTotal* total) { return with_best_kernels(*total) != nullptr; });
  text += speedup_table(totals, has_best && is_with_libraries).to_markdown() + "\n";
  for (const StudyTotal* const total : totals) {
    if (total->scheme == kBaselineScheme && total->is_complete()) text += dense_shares(*total);
  }
  return text;
}

std::string notes_section(const StudyResult& study) {
  const std::string notes = study_notes(study);
  if (notes.empty()) return "";
  std::string text = "## Notes\n\n";
  for (std::size_t at = 0; at < notes.size();) {
    const std::size_t end = notes.find('\n', at);
    text += "- " + notes.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string study_markdown(const StudyResult& study) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += section(totals, has_best);
  return text + notes_section(study);
}

}  // namespace stcsim
