#include "reports/claims/claim_check.hpp"

#include <algorithm>

#include "reports/claims/gain_reasons.hpp"
#include "reports/claims/part_times.hpp"

namespace stcsim {
namespace {

/// A value this near to the published range is "close".
constexpr double kClose = 0.1;

/// Percent of the dense time, from a gain.
double saved(double speedup) {
  return 100 * (1 - 1 / speedup);
}

double value_of(ClaimQuantity quantity, const StudyTotal& total) {
  switch (quantity) {
    case ClaimQuantity::dgrad_share:
      return 100 * cycles_of(total.dgrad) / std::max(1.0, cycles_of(total.gemms));
    case ClaimQuantity::gemm_time_saved:
      return saved(total.gemms.speedup);
    case ClaimQuantity::step_time_saved:
      return saved(total.step.speedup);
    case ClaimQuantity::forward_dgrad_gain:
      return gain_of(dense_of(total.forward) + dense_of(total.dgrad),
                     cycles_of(total.forward) + cycles_of(total.dgrad));
    case ClaimQuantity::wgrad_gain:
      return total.wgrad.speedup;
    case ClaimQuantity::gemm_gain:
      return total.gemms.speedup;
    case ClaimQuantity::step_gain:
    case ClaimQuantity::inference_gain:
      return total.step.speedup;
    case ClaimQuantity::kernel_gain:
    case ClaimQuantity::kernel_cycles:
      break;
  }
  return 0;
}

std::string verdict_of(const Claim& claim, const ClaimAnswer& answer) {
  if (answer.high >= claim.least && answer.low <= claim.most) return "as published";
  const bool is_less = answer.high < claim.least;
  const double off = is_less ? claim.least - answer.high : answer.low - claim.most;
  if (off <= kClose * (is_less ? claim.least : claim.most)) return "close";
  return is_less ? "less" : "more";
}

ClaimAnswer answer_of(const Claim& claim, const StudyResult& study, const StudyTotal& total) {
  ClaimAnswer answer;
  answer.machine = total.machine;
  answer.framework = total.framework;
  answer.value = value_of(claim.quantity, total);
  answer.low = answer.high = answer.value;
  if (is_of_step(claim.quantity) && total.step_interval.is_known()) {
    const bool is_saved = claim.quantity == ClaimQuantity::step_time_saved;
    answer.low = is_saved ? saved(total.step_interval.low) : total.step_interval.low;
    answer.high = is_saved ? saved(total.step_interval.high) : total.step_interval.high;
  }
  answer.verdict = verdict_of(claim, answer);
  if (claim.quantity != ClaimQuantity::dgrad_share) {
    answer.because = gain_reasons(study, total, is_of_step(claim.quantity));
  }
  return answer;
}

}  // namespace

std::vector<ClaimAnswer> check_claim(const Claim& claim, const StudyResult& study) {
  const bool is_inference = claim.quantity == ClaimQuantity::inference_gain;
  std::vector<ClaimAnswer> answers;
  for (const StudyTotal& total : study.totals) {
    if (total.network != claim.network || total.scheme != claim.scheme_name() ||
        (total.pass == kTrainingPass) == is_inference || !total.is_complete()) {
      continue;
    }
    answers.push_back(answer_of(claim, study, total));
  }
  return answers;
}

}  // namespace stcsim
