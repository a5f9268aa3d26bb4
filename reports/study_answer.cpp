#include "reports/study_answer.hpp"

#include <vector>

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/speedup_between.hpp"
#include "reports/study_groups.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

/// The dense step's time; every complete total knows it.
std::string dense_time(const std::vector<const StudyTotal*>& totals) {
  for (const StudyTotal* const total : totals) {
    if (!total->is_complete()) continue;
    return format_time_us(total->step.dense_time_us);
  }
  return "failed";
}

/// What the best scheme is, as far as that is sure.
std::string_view rank_of(const StudyTotal& best) {
  const bool gains =
      best.interval.is_known() ? best.interval.low > 1.0 : best.training.speedup > 1.0;
  if (gains) return "fastest";
  return best.interval.is_known() && best.interval.high >= 1.0
             ? "no scheme can be told apart from dense; best"
             : "no scheme is faster; best";
}

/// "fst, 46.2 ms in the mean of a training (1.07x, 1.04x..1.10x)"
std::string gain_of(const StudyTotal& total) {
  const std::string between =
      total.interval.is_known() ? ", " + format_between(total.interval) : std::string();
  return fmt::format("{}, {}{} ({}{})", total.scheme, format_time_us(total.training.time_us),
                     total.share_of_training < 1 ? " in the mean of a training" : "",
                     format_speedup(total.training.speedup), between);
}

std::string answer_of(const std::vector<const StudyTotal*>& totals) {
  const StudyTotal& first = *totals.front();
  const bool is_training = first.pass == kTrainingPass;
  std::string line = fmt::format("{}: dense {} {}", place_of(first), is_training ? "step" : "pass",
                                 dense_time(totals));
  if (const StudyTotal* const fastest = fastest_of(totals)) {
    line += fmt::format("; {} {}", rank_of(*fastest), gain_of(*fastest));
  }
  std::size_t failed = 0;
  for (const StudyTotal* const total : totals) failed += total->is_complete() ? 0U : 1U;
  if (failed > 0) line += fmt::format("; {} of {} schemes failed", failed, totals.size());
  const StudyTotal* const fastest = fastest_of(totals);
  const std::string beside = fastest == nullptr ? "" : beside_text(fastest->beside);
  return line + "\n" + (beside.empty() ? "" : "  " + beside + "\n");
}

}  // namespace

std::string study_answer(const StudyResult& study) {
  std::string text;
  for (const auto& totals : by_pass(study.totals)) text += answer_of(totals);
  return text;
}

}  // namespace stcsim
