#include "reports/study_answer.hpp"

#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/speedup_between.hpp"
#include "reports/study_groups.hpp"
#include "reports/study_report.hpp"

namespace stcsim {
namespace {

/// Of all that is complete and not dense; null if there is none.
const StudyTotal* fastest_of(const std::vector<const StudyTotal*>& totals) {
  const StudyTotal* fastest = nullptr;
  for (const StudyTotal* const total : totals) {
    if (total->scheme == kBaselineScheme || !total->is_complete()) continue;
    if (fastest == nullptr || total->step.speedup > fastest->step.speedup) fastest = total;
  }
  return fastest;
}

/// The dense step's time; every complete total knows it.
std::string dense_time(const std::vector<const StudyTotal*>& totals) {
  for (const StudyTotal* const total : totals) {
    if (!total->is_complete()) continue;
    return format_time_us(total->step.time_us * total->step.speedup);
  }
  return "failed";
}

/// What the best scheme is, as far as that is sure.
std::string_view rank_of(const StudyTotal& best) {
  const bool gains = best.interval.is_known() ? best.interval.low > 1.0 : best.step.speedup > 1.0;
  if (gains) return "fastest";
  return best.interval.is_known() && best.interval.high >= 1.0
             ? "no scheme can be told apart from dense; best"
             : "no scheme is faster; best";
}

/// "1.07x, between 1.04x and 1.10x"
std::string speedup_of(const StudyTotal& total) {
  const std::string speedup = format_speedup(total.step.speedup);
  if (!total.interval.is_known()) return speedup;
  return fmt::format("{}, {}", speedup, format_between(total.interval));
}

std::string answer_of(const std::vector<const StudyTotal*>& totals) {
  const StudyTotal& first = *totals.front();
  const bool is_training = first.pass == kTrainingPass;
  std::string line = fmt::format("{}: dense {} {}", place_of(first), is_training ? "step" : "pass",
                                 dense_time(totals));
  if (const StudyTotal* const fastest = fastest_of(totals)) {
    line += fmt::format("; {} {}, {} ({})", rank_of(*fastest), fastest->scheme,
                        format_time_us(fastest->step.time_us), speedup_of(*fastest));
  }
  std::size_t failed = 0;
  for (const StudyTotal* const total : totals) failed += total->is_complete() ? 0U : 1U;
  if (failed > 0) line += fmt::format("; {} of {} schemes failed", failed, totals.size());
  return line + "\n";
}

}  // namespace

std::string study_answer(const StudyResult& study) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) text += answer_of(totals);
  return text;
}

}  // namespace stcsim
