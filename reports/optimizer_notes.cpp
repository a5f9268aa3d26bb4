#include "reports/optimizer_notes.hpp"

#include <fmt/format.h>

#include "common/io/format.hpp"
#include "reports/study_groups.hpp"

namespace stcsim {
namespace {

constexpr double kMost = 0.5;

double saved_us(const PhaseTotal& part) {
  return part.dense_time_us - part.time_us;
}

}  // namespace

std::string optimizer_notes(const StudyResult& study) {
  std::string text;
  for (const StudyTotal& total : study.totals) {
    const double saved = saved_us(total.step);
    if (!total.is_complete() || saved <= 0) continue;
    const double share = saved_us(total.optimizer) / saved;
    if (share <= kMost) continue;
    const std::string most = share >= 1 ? "all that" : format_percent(share) + " of what";
    text += fmt::format(
        "{}: {} a step of {} gains comes from the optimizer, which has less to update\n",
        total.scheme, most, place_of(total));
  }
  return text;
}

}  // namespace stcsim
