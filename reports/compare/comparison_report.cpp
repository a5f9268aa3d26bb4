#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/figure_key.hpp"
#include "common/io/format.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/parts/study_lines.hpp"

namespace stcsim {
namespace {

std::string percent_text(double relative) {
  if (std::isinf(relative)) return "was 0";
  return relative == 0 ? "0" : fmt::format("{:+.3g}", 100 * relative);
}

template <class Figure>
std::string step_cell(const std::optional<StudyTotal>& total, Figure figure) {
  return total ? figure(*total) : std::string(kNothingCell);
}

/// "layer1.0.conv1..2 ×4": what they have in common once.
std::string layers_cell(const ComparedRow& row, bool with_network) {
  const std::string& first = row.layers.front();
  const std::string& last = row.layers.back();
  std::string text = first;
  if (row.layers.size() > 1) {
    const auto common = std::ranges::mismatch(first, last).in2 - last.begin();
    text += ".." + last.substr(static_cast<std::size_t>(common));
  }
  if (with_network) text.insert(0, row.any().network + " ");
  if (row.per_step == 1) return text;
  return text + fmt::format(" ×{:.3g}", row.per_step);
}

std::string cycles_cell(const std::optional<ResultRow>& row) {
  return row ? format_count(row->cycles) : kNothingCell;
}

std::string moved_cell(const ComparedRow& row) {
  if (!row.before) return "new";
  if (!row.now) return "gone";
  return percent_text(relative_change(static_cast<double>(row.before->cycles),
                                      static_cast<double>(row.now->cycles)));
}

/// One word, which is not broken across lines.
std::string before_and_now(const std::string& before, const std::string& now) {
  return before == now ? now : before + "→" + now;
}

/// "64x128x64_s3" of "cublas12_64x128x64_s3" where the other is of that library too.
std::string kernel_change(const std::string& before, const std::string& now) {
  const std::size_t library = before.find('_') + 1;
  const bool is_same = now.compare(0, library, before, 0, library) == 0;
  return is_same ? before_and_now(before.substr(library), now.substr(library))
                 : before_and_now(before, now);
}

/// What limits it, and its kernel where that is another.
std::string limit_cell(const ComparedRow& row) {
  if (!row.before || !row.now) return row.any().bound_by;
  std::string text = before_and_now(row.before->bound_by, row.now->bound_by);
  if (row.before->kernel.name != row.now->kernel.name) {
    text += " " + kernel_change(row.before->kernel.name, row.now->kernel.name);
  }
  return text;
}

std::string phase_cell(const ComparedRow& row) {
  const ResultRow& any = row.any();
  return any.op == "gemm" ? std::string(to_string(any.phase)) : any.op;
}

std::string schemes_cell(const ComparedRow& row) {
  return row.schemes.empty() ? "all" : fmt::format("{}", fmt::join(row.schemes, ", "));
}

bool are_several(const Comparison& comparison, std::string StudyTotal::*name) {
  std::set<std::string> names;
  for (const ComparedStep& step : comparison.steps) names.insert(step.any().*name);
  return names.size() > 1;
}

constexpr std::size_t kShownRows = 12;
constexpr std::size_t kShownChanges = 10;

/// "32.8 ms -> 34.4 ms (+4.9 %)", or "still 1.04x"
template <class Format>
std::string change_text(double before, double now, Format format) {
  if (before == now) return "still " + format(now);
  return fmt::format("{} -> {} ({} %)", format(before), format(now),
                     percent_text(relative_change(before, now)));
}

/// The step that says most of what happened; null if none has both sides.
const ComparedStep* leading_step(const Comparison& comparison) {
  const auto rank = [](const ComparedStep& step) {
    return std::pair(!is_baseline(step.any()), std::abs(step.relative()));
  };
  const ComparedStep* leading = nullptr;
  for (const ComparedStep& step : comparison.steps) {
    if (!step.before || !step.now) continue;
    if (leading == nullptr || rank(step) > rank(*leading)) leading = &step;
  }
  return leading;
}

std::string equal_text(const Comparison& comparison) {
  std::string text = fmt::format("equal: all {} figures", comparison.figures);
  if (comparison.rtol > 0) text += fmt::format(" are within {:.3g} %", 100 * comparison.rtol);
  if (comparison.rtol == 0) text += " are the same";
  if (!comparison.config.empty()) text += ", though the configuration is not";
  const ComparedStep* const step = leading_step(comparison);
  if (step == nullptr) return text;
  return text + fmt::format(" ({} {}, speedup {})", comparison.now.is_gemm ? "time" : "step",
                            format_time_us(step->now->step.time_us),
                            format_speedup(step->now->training.speedup));
}

std::string step_text(const Comparison& comparison, const ComparedStep& step) {
  const StudyTotal& before = *step.before;
  const StudyTotal& now = *step.now;
  std::string text =
      fmt::format("{}{}: {} {}", place_of(now), is_baseline(now) ? "" : ", " + now.scheme,
                  comparison.now.is_gemm ? "time"
                  : is_baseline(now)     ? "dense step"
                                         : "step",
                  change_text(before.step.time_us, now.step.time_us, &format_time_us));
  if (is_baseline(now)) return text;
  return text +
         fmt::format(
             ", speedup {}; dense {}",
             change_text(before.training.speedup, now.training.speedup, &format_speedup),
             change_text(before.step.dense_time_us, now.step.dense_time_us, &format_time_us));
}

/// How many steps only one side has.
std::string one_sided_text(const Comparison& comparison) {
  std::size_t gone = 0;
  std::size_t added = 0;
  for (const ComparedStep& step : comparison.steps) {
    gone += step.now ? 0U : 1U;
    added += step.before ? 0U : 1U;
  }
  return (gone > 0 ? fmt::format("; {} steps are gone", gone) : "") +
         (added > 0 ? fmt::format("; {} steps are new", added) : "");
}

/// What differs in the configuration, or in the program if nothing does: a line, or a heading.
std::string config_heading(const Comparison& comparison) {
  const std::vector<ConfigChange>& changes = comparison.config;
  if (changes.size() > 1) return fmt::format("{} values differ:\n", changes.size());
  if (changes.size() == 1) {
    return fmt::format("one value differs: {} {} -> {}\n", changes.front().key,
                       changes.front().before, changes.front().now);
  }
  const std::string& before = comparison.before.version;
  const std::string& now = comparison.now.version;
  if (before == now) return "the configuration is the same\n";
  return fmt::format("the configuration is the same, the program is not: stcsim {} -> {}\n", before,
                     now);
}

std::string config_lines(const Comparison& comparison) {
  std::string text = config_heading(comparison);
  const std::vector<ConfigChange>& changes = comparison.config;
  if (changes.size() < 2) return text;
  for (std::size_t at = 0; at < std::min(changes.size(), kShownChanges); ++at) {
    text += fmt::format("  {} {} -> {}\n", changes[at].key, changes[at].before, changes[at].now);
  }
  if (changes.size() > kShownChanges) {
    text +=
        fmt::format("  and {} more (--format markdown has all)\n", changes.size() - kShownChanges);
  }
  return text;
}

/// Where the clock changed, times do that kernels take as many cycles as before.
std::string clock_line(const Comparison& comparison) {
  const ComparedStep* const step = leading_step(comparison);
  if (step == nullptr || step->before->clock_mhz == step->now->clock_mhz) return "";
  return fmt::format("the clock is {:.0f} MHz, was {:.0f}\n", step->now->clock_mhz,
                     step->before->clock_mhz);
}

std::size_t shown_rows(const Comparison& comparison, bool all_rows) {
  return all_rows ? comparison.rows.size() : std::min(comparison.rows.size(), kShownRows);
}

std::string rest_line(const Comparison& comparison, std::size_t shown) {
  std::string text;
  if (comparison.figures == 1) return text;
  if (comparison.rows.size() > shown) {
    text = fmt::format("{} more lines that changed (--layers); ", comparison.rows.size() - shown);
  }
  text += fmt::format("{} of {} figures are the same", comparison.same, comparison.figures);
  if (comparison.rtol > 0) text += fmt::format(" within {:.3g} %", 100 * comparison.rtol);
  return text + "\n";
}

std::string failure_lines(const Comparison& comparison) {
  std::string text;
  for (const ComparedResult* const side : {&comparison.before, &comparison.now}) {
    const std::size_t failed = side->study.failures.size();
    if (failed > 0) text += fmt::format("{}: {} points failed\n", side->name, failed);
  }
  return text;
}

std::string sides_line(const Comparison& comparison) {
  return fmt::format("before: {}; now: {}\n", comparison.before.name, comparison.now.name);
}

}  // namespace

Table compared_steps_table(const std::vector<ComparedStep>& steps) {
  const auto time = [](const StudyTotal& total) { return format_time_us(total.step.time_us); };
  const auto gain = [](const StudyTotal& total) { return format_speedup(total.training.speedup); };
  const std::vector<DescribedColumn<ComparedStep>> columns{
      {{"step"}, [](const auto& step) { return place_of(step.any()); }},
      {{"scheme"}, [](const auto& step) { return step.any().scheme; }},
      {{"before", Align::right}, [&](const auto& step) { return step_cell(step.before, time); }},
      {{"now", Align::right}, [&](const auto& step) { return step_cell(step.now, time); }},
      {{"%", Align::right},
       [](const auto& step) {
         if (!step.before) return std::string("new");
         return step.now ? percent_text(step.relative()) : "gone";
       }},
      {{std::string(kSpeedupKey.name), Align::right},
       [&](const auto& step) { return step_cell(step.before, gain); }},
      {{"now", Align::right}, [&](const auto& step) { return step_cell(step.now, gain); }}};
  return table_of(columns, steps);
}

Table compared_rows_table(const Comparison& comparison, std::size_t count) {
  using Row = ComparedRow;
  const bool networks = are_several(comparison, &StudyTotal::network);
  std::vector<DescribedColumn<Row>> columns;
  if (are_several(comparison, &StudyTotal::machine)) {
    columns.push_back({{"machine"}, [](const Row& row) { return row.any().machine; }});
  }
  columns.push_back({{"layer"}, [=](const Row& row) { return layers_cell(row, networks); }});
  columns.push_back({{"phase"}, &phase_cell});
  if (are_several(comparison, &StudyTotal::scheme)) {
    columns.push_back({{"scheme", Align::left, 0, true}, &schemes_cell});
  }
  columns.push_back(
      {{"before", Align::right}, [](const Row& row) { return cycles_cell(row.before); }});
  columns.push_back({{"now", Align::right}, [](const Row& row) { return cycles_cell(row.now); }});
  columns.push_back({{"%", Align::right}, &moved_cell});
  columns.push_back({{"share", Align::right},
                     [](const Row& row) { return fmt::format("{:.1f} %", 100 * row.share); }});
  columns.push_back({{"limited by, kernel", Align::left, 0, true}, &limit_cell});
  const auto shown = comparison.rows.begin() + static_cast<std::ptrdiff_t>(count);
  return table_of(columns, std::vector<Row>(comparison.rows.begin(), shown));
}

std::string comparison_answer(const Comparison& comparison) {
  if (comparison.is_equal()) return equal_text(comparison);
  const ComparedStep* const step = leading_step(comparison);
  if (step == nullptr) return "nothing to compare" + one_sided_text(comparison);
  const auto moved = std::ranges::count_if(comparison.steps, &ComparedStep::moved);
  std::string text = step_text(comparison, *step) + one_sided_text(comparison);
  if (moved == 0) text += ", though cycles moved";
  return text;
}

std::string comparison_text(const Comparison& comparison, bool all_rows, std::size_t width) {
  std::string head = comparison_answer(comparison) + "\n" + config_lines(comparison);
  if (!comparison.is_equal()) head += clock_line(comparison);
  std::string text = wrap_lines(head + failure_lines(comparison), width);
  if (!comparison.is_equal() && comparison.steps.size() > 1) {
    text += "\n" + compared_steps_table(comparison.steps).to_string(width);
  }
  if (!comparison.rows.empty()) {
    const std::size_t shown = shown_rows(comparison, all_rows);
    text += "\n" + compared_rows_table(comparison, shown).to_string(width) +
            wrap_lines(rest_line(comparison, shown), width);
  }
  return text + wrap_lines(sides_line(comparison), width);
}

std::string comparison_markdown(const Comparison& comparison, bool all_rows) {
  std::string text = "**" + comparison_answer(comparison) + "**\n\n" + config_heading(comparison);
  if (comparison.config.size() > 1) text += "\n";
  if (comparison.config.size() > 1) {
    for (const ConfigChange& change : comparison.config) {
      text += fmt::format("- `{}` {} → {}\n", change.key, change.before, change.now);
    }
  }
  if (!comparison.is_equal()) text += "\n" + compared_steps_table(comparison.steps).to_markdown();
  if (!comparison.rows.empty()) {
    const std::size_t shown = shown_rows(comparison, all_rows);
    text += "\n" + compared_rows_table(comparison, shown).to_markdown() + "\n" +
            rest_line(comparison, shown);
  }
  return text + "\n" + failure_lines(comparison) + sides_line(comparison);
}

}  // namespace stcsim
