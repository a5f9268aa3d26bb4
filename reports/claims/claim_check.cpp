#include "reports/claims/claim_check.hpp"

#include <algorithm>

#include "reports/claims/gain_reasons.hpp"
#include "reports/claims/part_times.hpp"

namespace stcsim {
namespace {

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

ClaimAnswer answer_of(const Claim& claim, const StudyResult& study, const StudyTotal& total,
                      const MachineSorts& machines) {
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
  const auto known = machines.find(total.machine);
  judge(claim, known == machines.end() ? MachineSort::built : known->second, answer);
  if (claim.quantity != ClaimQuantity::dgrad_share) {
    answer.because = gain_reasons(study, total, is_of_step(claim.quantity));
  }
  return answer;
}

}  // namespace

void judge(const Claim& claim, MachineSort machine, ClaimAnswer& answer) {
  answer.kind = simulated_kind(claim.obtained, machine, !claim.fitted.empty());
  if (!answer.kind) return;
  PaperAnswer ours;
  ours.value = answer.value;
  ours.low = answer.low;
  ours.high = answer.high;
  answer.verdict =
      verdict_of(*answer.kind, claim.published, figure_of(claim.quantity), claim.tolerance, ours);
}

std::vector<ClaimAnswer> check_claim(const Claim& claim, const StudyResult& study,
                                     const MachineSorts& machines) {
  const bool is_inference = claim.quantity == ClaimQuantity::inference_gain;
  std::vector<ClaimAnswer> answers;
  for (const StudyTotal& total : study.totals) {
    if (total.network != claim.network || total.scheme != claim.scheme_name() ||
        (total.pass == kTrainingPass) == is_inference || !total.is_complete()) {
      continue;
    }
    answers.push_back(answer_of(claim, study, total, machines));
  }
  return answers;
}

}  // namespace stcsim
