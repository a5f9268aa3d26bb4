#include "reports/study_answer.hpp"

#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
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

std::string answer_of(const std::vector<const StudyTotal*>& totals) {
  const StudyTotal& first = *totals.front();
  const bool is_training = first.pass == kTrainingPass;
  std::string line = fmt::format("{}: dense {} {}", place_of(first), is_training ? "step" : "pass",
                                 dense_time(totals));
  if (const StudyTotal* const fastest = fastest_of(totals)) {
    const bool gains = fastest->step.speedup > 1.0;
    line += fmt::format("; {} {}, {} ({})", gains ? "fastest" : "no scheme is faster; best",
                        fastest->scheme, format_time_us(fastest->step.time_us),
                        format_speedup(fastest->step.speedup));
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
