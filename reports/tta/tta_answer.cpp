#include "reports/tta/tta_answer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/speedup_between.hpp"
#include "reports/tta/tta_format.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

using Results = std::vector<const TtaResult*>;

/// Names of the results with a verdict; of the faster and slower ones with their speedups.
std::string named(const Results& results, curves::Verdict verdict, const char* title) {
  std::vector<std::string> names;
  for (const TtaResult* const result : results) {
    const curves::SpeedupToTarget& against = result->compared;
    if (against.verdict != verdict) continue;
    const bool is_clear = verdict == curves::Verdict::faster || verdict == curves::Verdict::slower;
    names.push_back(
        is_clear ? fmt::format("{} ({})", result->scheme, format_speedup(against.speedup->value))
                 : result->scheme);
  }
  return names.empty() ? "" : fmt::format("; {}: {}", title, fmt::join(names, ", "));
}

const TtaResult* dense_of(const Results& results) {
  const auto found = std::find_if(results.begin(), results.end(), [](const TtaResult* result) {
    return result->scheme == kBaselineScheme;
  });
  return found == results.end() ? nullptr : *found;
}

std::string dense_text(const TtaSummary& summary, const TtaResult& dense) {
  const auto& target = summary.question.curves.target;
  const std::string step = format_time_us(dense.step_ms * 1000);
  if (!target || dense.curves == nullptr) return fmt::format("dense step {}", step);
  if (!dense.hours) {
    return fmt::format("dense never reaches {:.6g} in {} runs", *target, dense.runs);
  }
  const bool is_all = dense.reached == dense.runs;
  return fmt::format("dense reaches {:.6g} in {}{}", *target, format_hours(dense.hours->value),
                     is_all ? "" : fmt::format(" ({} of {} runs)", dense.reached, dense.runs));
}

/// The scheme that may take most epochs.
std::string most_allowed(const Results& results) {
  const TtaResult* best = nullptr;
  for (const TtaResult* const result : results) {
    if (result->scheme == kBaselineScheme || !result->break_even) continue;
    if (best == nullptr || *result->break_even > *best->break_even) best = result;
  }
  if (best == nullptr) return "";
  return fmt::format("; {} wins if it takes less than {} times the epochs of dense", best->scheme,
                     format_significant(*best->break_even));
}

/// "  a step of slope: with searched kernels 1.12x, ..."; "" where nothing is known.
std::string beside_line(const Results& results) {
  const TtaResult* fastest = nullptr;
  for (const TtaResult* const one : results) {
    if (one->scheme == kBaselineScheme || one->beside.empty()) continue;
    if (fastest == nullptr || one->step_speedup > fastest->step_speedup) fastest = one;
  }
  if (fastest == nullptr) return "";
  return fmt::format("  a step of {} gains {}; {}\n", fastest->scheme,
                     format_speedup(fastest->step_speedup), beside_text(fastest->beside));
}

}  // namespace

std::string place_text(const TtaSummary& summary, const std::string& machine) {
  std::vector<std::string> networks;
  for (const NetworkSpan& span : summary.config.schedule) networks.push_back(span.network);
  const std::int64_t devices = summary.config.devices;
  return fmt::format("{} on {}{}", fmt::join(networks, ", "), machine,
                     devices > 1 ? fmt::format(" ({} of them)", devices) : "");
}

std::string answer_line(const TtaSummary& summary, const std::vector<const TtaResult*>& results) {
  const std::string place = place_text(summary, results.front()->machine);
  const TtaResult* const dense = dense_of(results);
  if (dense == nullptr) return place + ": the dense step failed\n";
  std::string line = place + ": " + dense_text(summary, *dense);
  if (summary.question.curves.target) {
    line += named(results, curves::Verdict::faster, "faster");
    line += named(results, curves::Verdict::slower, "slower");
    line += named(results, curves::Verdict::not_told_apart, "cannot be told apart");
    line += named(results, curves::Verdict::one_run, "one run, so nobody knows");
    line += named(results, curves::Verdict::not_reached, "never");
    line += named(results, curves::Verdict::dense_not_reached, "where dense does not");
  }
  const bool has_compared = line.find(';') != std::string::npos;
  return line + (has_compared ? "" : most_allowed(results)) + "\n" + beside_line(results);
}

}  // namespace stcsim
