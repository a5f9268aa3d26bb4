#include "reports/compare/comparison_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/parts/study_groups.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kShownRows = 12;
constexpr std::size_t kShownChanges = 10;

/// "32.8 ms -> 34.4 ms (+4.9 %)", or "still 1.04x"
template <class Format>
std::string change_text(double before, double now, Format format) {
  if (before == now) return "still " + format(now);
  return fmt::format("{} -> {} ({} %)", format(before), format(now), percent_changed(before, now));
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
