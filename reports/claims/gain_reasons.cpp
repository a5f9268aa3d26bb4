#include "reports/claims/gain_reasons.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "reports/claims/part_times.hpp"

namespace stcsim {
namespace {

/// Gains that differ by less read as one.
constexpr double kSameGain = 0.005;

/// What counting multiplications promises of a phase: all, and those that are left.
double counted_gain(const StudyResult& study, const StudyTotal& total, RowPhase phase) {
  double all = 0;
  double left = 0;
  for (const ResultRow& row : study.rows) {
    if (row.machine != total.machine || row.network != total.network ||
        row.scheme != total.scheme || row.phase != phase || !row.is_gemm()) {
      continue;
    }
    const auto repeat = static_cast<double>(row.repeat);
    const Pattern& pattern = row.hardware_pattern;
    const double kept = static_cast<double>(pattern.n) / static_cast<double>(pattern.m);
    all += repeat * static_cast<double>(row.macs);
    left += repeat * static_cast<double>(row.macs) -
            repeat * static_cast<double>(row.sparse_macs) * (1 - kept);
  }
  return gain_of(all, left);
}

/// "dgrad 1.55x of 2.00x counted" of each phase that ran sparse.
std::vector<std::string> phase_gains(const StudyResult& study, const StudyTotal& total) {
  const bool is_training = total.pass == kTrainingPass;
  const std::array<std::pair<RowPhase, const PhaseTotal*>, 3> phases{
      {{RowPhase::forward, &total.forward},
       {RowPhase::dgrad, &total.dgrad},
       {RowPhase::wgrad, &total.wgrad}}};
  std::vector<std::string> parts;
  const auto add = [&](RowPhase phase, const PhaseTotal& part) {
    const double counted = counted_gain(study, total, phase);
    if (counted < 1 + kSameGain) return;
    parts.push_back(fmt::format("{} {} of {} counted", to_string(phase),
                                format_speedup(part.speedup), format_speedup(counted)));
  };
  if (!is_training) {
    add(RowPhase::inference, total.gemms);
    return parts;
  }
  for (const auto& [phase, part] : phases) add(phase, *part);
  return parts;
}

/// Why a row of the scheme that asked for a pattern ran dense.
std::string why_dense(const StudyResult& study, const StudyTotal& total) {
  for (const ResultRow& row : study.rows) {
    if (row.machine == total.machine && row.network == total.network &&
        row.scheme == total.scheme && !row.pattern.is_dense() && !row.ran_sparse) {
      return row.reason;
    }
  }
  return "nothing is pruned here";
}

}  // namespace

std::string gain_reasons(const StudyResult& study, const StudyTotal& total, bool is_whole) {
  std::vector<std::string> parts = phase_gains(study, total);
  if (parts.empty()) return "all GEMMs run dense: " + why_dense(study, total);
  if (is_whole) {
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

}  // namespace stcsim
