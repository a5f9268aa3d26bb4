#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/cost/cost_report.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/run/study_report.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr std::string_view kFailedLine =
    "failed: points of this sum could not be simulated, see below.\n";
constexpr std::string_view kTrainingLine =
    "Step, gain and energy: in the mean of a training, its dense steps included.\n";
constexpr std::string_view kBestLine =
    "All kernels: what a training gains with the best of all kernels, which machines without "
    "libraries choose from: compare machines by it.\n";

/// Neither time nor energy of its steps is another than dense.
bool changes_nothing(const StudyTotal& total) {
  constexpr double kRounding = 1e-9;
  const bool has_cost = total.scheme_work.cycles > 0 || total.sparse_gemms.cycles > 0;
  return !is_baseline(total) && total.is_complete() && !has_cost &&
         std::abs(total.training.speedup - 1) < kRounding;
}

/// Of the dense step in joules, of schemes as a share of that, steps that are dense in the mean.
std::string energy_cell(const StudyTotal& total) {
  if (!total.is_complete()) return kFailedCell;
  if (total.dense_joules <= 0) return kNothingCell;
  if (is_baseline(total)) return format_joules(total.dense_joules);
  const double sparse = total.joules / total.dense_joules;
  return format_percent(1 + total.share_of_training * (sparse - 1));
}

std::string pruning_cell(const StudyTotal& total) {
  return part_cell(total.scheme_work,
                   [](const PhaseTotal& part) { return format_time_us(part.time_us); });
}

std::vector<TotalColumn> summary_columns(const StudyTotals& totals, bool has_best) {
  const char* const step = step_word(*totals.front());
  std::vector<TotalColumn> columns{
      {{"scheme"}, [](const StudyTotal& one) { return one.scheme; }},
      {{step, Align::right},
       [](const StudyTotal& one) {
         return one.is_complete() ? format_time_us(one.training.time_us) : kFailedCell;
       }},
      {{"gain", Align::right}, [](const StudyTotal& one) {
         return one.is_complete() ? format_speedup(one.training.speedup) : kFailedCell;
       }}};
  if (any_of(totals, has_verdict)) {
    columns.push_back({{"likely", Align::right}, &likely_cell});
    columns.push_back({{"verdict"}, &verdict_cell});
  }
  if (has_best && any_of(totals, has_best_kernels)) {
    columns.push_back({{"all kernels", Align::right}, &all_kernels_cell});
  }
  if (any_of(totals, [](const auto& one) { return one.dense_joules > 0; })) {
    columns.push_back({{"energy", Align::right}, &energy_cell});
  }
  // What is left out where a page is narrow, --layers shows too.
  constexpr std::array<std::pair<std::string_view, PhaseTotal StudyTotal::*>, 4> kSpeedups{
      {{"GEMMs", &StudyTotal::gemms},
       {"forward", &StudyTotal::forward},
       {"dgrad", &StudyTotal::dgrad},
       {"wgrad", &StudyTotal::wgrad}}};
  for (const auto& [header, part] : kSpeedups) {
    if (!has_figures(totals, part)) continue;
    columns.push_back(speedup_column(header, part, part == &StudyTotal::gemms ? 0 : 1));
  }
  if (has_figures(totals, &StudyTotal::scheme_work)) {
    columns.push_back({{"pruning", Align::right, 2}, &pruning_cell});
  }
  return columns;
}

/// The dense step that a scheme is held against.
StudyTotal dense_beside(const StudyTotal& total) {
  StudyTotal dense = total;
  dense.scheme = kBaselineScheme;
  for (PhaseTotal StudyTotal::*part : {&StudyTotal::forward, &StudyTotal::dgrad, &StudyTotal::wgrad,
                                       &StudyTotal::gemms, &StudyTotal::training}) {
    (dense.*part).time_us = (dense.*part).dense_time_us;
    (dense.*part).speedup = 1;
  }
  dense.scheme_work = {};
  return dense;
}

std::string summary_table(const StudyTotals& totals, bool has_best, std::size_t width) {
  StudyTotals changed;
  std::vector<std::string> others;
  std::optional<StudyTotal> dense;
  const auto complete = std::ranges::find_if(totals, &StudyTotal::is_complete);
  if (!any_of(totals, is_baseline) && complete != totals.end()) {
    changed.push_back(&dense.emplace(dense_beside(**complete)));
  }
  for (const StudyTotal* const total : totals) {
    if (!changes_nothing(*total)) changed.push_back(total);
    if (changes_nothing(*total)) others.push_back(total->scheme);
  }
  std::string text = place_of(*totals.front()) + "\n";
  if (!changed.empty()) {
    text += table_of(summary_columns(changed, has_best), changed).to_string(width);
  }
  if (others.empty()) return text + "\n";
  return text +
         wrap_lines(fmt::format("not affected ({}): {}\n", others.size(), fmt::join(others, ", ")),
                    width) +
         "\n";
}

}  // namespace

std::string summary_tables(const StudyResult& study, std::size_t width) {
  std::string text;
  const bool has_best = has_machines_without_libraries(study);
  for (const auto& totals : by_pass(study.totals)) text += summary_table(totals, has_best, width);
  std::string lines;
  const auto has_failed = [](const StudyTotal& total) { return !total.is_complete(); };
  if (std::ranges::any_of(study.totals, has_failed)) lines += kFailedLine;
  if (std::ranges::any_of(study.totals, &has_dense_steps)) lines += kTrainingLine;
  lines += interval_line(study);
  if (has_best) lines += kBestLine;
  return text + wrap_lines(lines, width);
}

std::string next_of_study(const StudyResult& study, std::size_t width,
                          const std::vector<std::string>& otherwise, const CalledAs& called_as) {
  const std::vector<SchemeLosses> losses = study_losses(study, called_as);
  for (const StudyTotals& totals : by_pass(study.totals)) {
    const StudyTotal* const fastest = fastest_of(totals);
    if (fastest == nullptr) continue;
    const auto found = std::ranges::find_if(losses, [&](const SchemeLosses& one) {
      const ResultRow& row = one.row();
      return row.machine == fastest->machine && row.network == fastest->network &&
             row.scheme == fastest->scheme && row.pass() == fastest->pass;
    });
    if (found != losses.end()) return next_lines(found->explain, width);
  }
  if (!otherwise.empty()) return next_lines(otherwise, width);
  if (study.totals.empty()) return "";
  const StudyTotal& first = study.totals.front();
  return next_lines({"stcsim run", "--network " + shell_word(first.network),
                     "--arch " + shell_word(first.machine), "--schemes all"},
                    width);
}

}  // namespace stcsim
