#include "reports/claims/claim_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"

namespace stcsim {
namespace {

/// A value this near to the published range is "close".
constexpr double kClose = 0.1;
/// Gains that differ by less read as one.
constexpr double kSameGain = 0.005;

double cycles_of(const PhaseTotal& part) {
  return static_cast<double>(part.cycles);
}
double dense_of(const PhaseTotal& part) {
  return part.speedup * cycles_of(part);
}

double gain(double dense, double sparse) {
  return sparse > 0 ? dense / sparse : 1;
}
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
      return gain(dense_of(total.forward) + dense_of(total.dgrad),
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

/// What counting multiplications promises of a phase: all, and those that are left.
double counted_gain(const StudyResult& study, const StudyTotal& total, std::string_view phase) {
  double all = 0;
  double left = 0;
  for (const ResultRow& row : study.rows) {
    if (row.machine != total.machine || row.network != total.network ||
        row.scheme != total.scheme || row.phase != phase || row.kind != kGemmOp) {
      continue;
    }
    const auto repeat = static_cast<double>(row.repeat);
    const std::optional<Pattern> pattern = pattern_from_string(row.hardware_pattern);
    const double kept =
        pattern ? static_cast<double>(pattern->n) / static_cast<double>(pattern->m) : 1;
    all += repeat * static_cast<double>(row.macs);
    left += repeat * static_cast<double>(row.macs) -
            repeat * static_cast<double>(row.sparse_macs) * (1 - kept);
  }
  return gain(all, left);
}

/// "dgrad 1.55x of 2.00x counted" of each phase that ran sparse.
std::vector<std::string> phase_gains(const StudyResult& study, const StudyTotal& total) {
  const bool is_training = total.pass == kTrainingPass;
  const std::array<std::pair<std::string_view, const PhaseTotal*>, 3> phases{
      {{"forward", &total.forward}, {"dgrad", &total.dgrad}, {"wgrad", &total.wgrad}}};
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const PhaseTotal& part) {
    const double counted = counted_gain(study, total, name);
    if (counted < 1 + kSameGain) return;
    parts.push_back(fmt::format("{} {} of {} counted", name, format_speedup(part.speedup),
                                format_speedup(counted)));
  };
  if (!is_training) {
    add(kInferenceName, total.gemms);
    return parts;
  }
  for (const auto& [name, part] : phases) add(name, *part);
  return parts;
}

/// Why a row of the scheme that asked for a pattern ran dense.
std::string why_dense(const StudyResult& study, const StudyTotal& total) {
  for (const ResultRow& row : study.rows) {
    if (row.machine == total.machine && row.network == total.network &&
        row.scheme == total.scheme && row.pattern != "dense" && !row.ran_sparse) {
      return row.reason;
    }
  }
  return "nothing is pruned here";
}

std::string because_of(const Claim& claim, const StudyResult& study, const StudyTotal& total) {
  if (claim.quantity == ClaimQuantity::dgrad_share) return "";
  std::vector<std::string> parts = phase_gains(study, total);
  if (parts.empty()) return "all GEMMs run dense: " + why_dense(study, total);
  if (total.share_of_training < 1) {
    parts.push_back(
        fmt::format("sparse in {} of the steps", format_percent(total.share_of_training)));
  }
  if (is_of_step(claim.quantity)) {
    const double dense = dense_of(total.step);
    parts.push_back(fmt::format("GEMMs are {} of the dense {}",
                                format_percent(dense_of(total.gemms) / dense),
                                total.pass == kTrainingPass ? "step" : "pass"));
    if (total.scheme_work.cycles > 0) {
      parts.push_back(fmt::format("pruning takes {} of it",
                                  format_percent(cycles_of(total.scheme_work) / dense)));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

ClaimAnswer answer_of(const Claim& claim, const StudyResult& study, const StudyTotal& total) {
  ClaimAnswer answer;
  answer.machine = total.machine;
  answer.framework = total.framework;
  answer.value = value_of(claim.quantity, total);
  answer.low = answer.high = answer.value;
  if (is_of_step(claim.quantity) && total.interval.is_known()) {
    const bool is_saved = claim.quantity == ClaimQuantity::step_time_saved;
    answer.low = is_saved ? saved(total.interval.low) : total.interval.low;
    answer.high = is_saved ? saved(total.interval.high) : total.interval.high;
  }
  answer.verdict = verdict_of(claim, answer);
  answer.because = because_of(claim, study, total);
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
