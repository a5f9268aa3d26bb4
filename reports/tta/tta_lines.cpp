#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "reports/parts/study_lines.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_report.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr double kMinutes = 60;

struct Unit {
  std::string_view name;
  double per_hour = 1;
};

/// The largest that the time is at least one of; seconds of what is less than a minute.
Unit unit_of(double hours) {
  if (hours >= 1) return {"h", 1};
  return hours * kMinutes >= 1 ? Unit{"min", kMinutes} : Unit{"s", kMinutes * kMinutes};
}

/// Names of the results with a verdict, of the faster and slower ones with their speedups; of many
/// unknown ones their number.
std::string named(const TtaResults& results, curves::Verdict verdict, const char* title) {
  std::vector<std::string> names;
  for (const TtaResult* const result : results) {
    const curves::SpeedupToTarget& against = result->compared;
    if (against.verdict != verdict) continue;
    const bool is_clear = verdict == curves::Verdict::faster || verdict == curves::Verdict::slower;
    names.push_back(
        is_clear ? fmt::format("{} ({})", result->scheme, format_speedup(against.speedup->value))
                 : result->scheme);
    const bool may_reach = result->predicted && result->predicted->crossing.low;
    if (verdict == curves::Verdict::not_reached && may_reach) {
      names.back() += " (if its loss is no chance)";
    }
  }
  constexpr std::size_t kNamed = 8;
  if (names.empty()) return "";
  if (verdict == curves::Verdict::unknown && names.size() > kNamed) {
    return fmt::format("; {}: {} schemes", title, names.size());
  }
  return fmt::format("; {}: {}", title, fmt::join(names, ", "));
}

std::string dense_text(const TtaSummary& summary, const TtaResult& dense) {
  const auto& target = summary.question.curves.target;
  const std::string step = format_time_us(dense.step.ms * 1000);
  if (!target || dense.curves == nullptr) return fmt::format("dense step {}", step);
  if (!dense.hours) {
    return fmt::format("dense never reaches {:.6g} in {} runs", *target, dense.runs);
  }
  const bool is_all = dense.reached == dense.runs;
  return fmt::format("dense reaches {:.6g} in {}{}", *target, format_hours(dense.hours->value),
                     is_all ? "" : fmt::format(" ({} of {} runs)", dense.reached, dense.runs));
}

/// Of schemes whose loss is not known: which of them may lose most and still beat a shorter dense
/// run.
std::string unknown_ends(const TtaResults& results) {
  TtaResults unknown = results;
  std::erase_if(unknown, [](const TtaResult* one) {
    return one->compared.verdict != curves::Verdict::unknown;
  });
  if (unknown.empty()) return "";
  const TtaResult* const best =
      *std::ranges::max_element(unknown, {}, [](const TtaResult* one) { return *one->most_loss; });
  if (*best->most_loss == 0) return "; loss unknown, and no step is shorter than dense's";
  return fmt::format("; loss unknown: {} pays below +{:.3f}", best->scheme, *best->most_loss);
}

/// The scheme that may take most epochs.
std::string most_allowed(const TtaResults& results) {
  const auto allowed = [](const TtaResult* one) {
    return one->scheme == kBaselineScheme ? 0 : one->break_even.value_or(0);
  };
  const TtaResult* const best = *std::ranges::max_element(results, {}, allowed);
  if (allowed(best) == 0) return "";
  return fmt::format("; {} wins if it takes less than {} times the epochs of dense", best->scheme,
                     format_significant(*best->break_even));
}

/// "  a step of slope: with searched kernels 1.12x, ..."; "" where nothing is known.
std::string beside_line(const TtaResults& results) {
  const TtaResult* fastest = nullptr;
  for (const TtaResult* const one : results) {
    if (one->scheme == kBaselineScheme || one->beside.empty()) continue;
    if (fastest == nullptr || one->step.speedup > fastest->step.speedup) fastest = one;
  }
  if (fastest == nullptr) return "";
  return fmt::format("  a step of {} gains {}; {}\n", fastest->scheme,
                     format_speedup(fastest->step.speedup), beside_text(fastest->beside));
}

std::string interval_text(const TtaSummary& summary) {
  std::string text =
      "Times: simulated time of a step times the steps of the curve up to its first point at the "
      "target. Intervals: bootstrap over the runs and validated errors of the step's time, "
      "distances in logarithms added in quadrature";
  const bool has_one_run = std::ranges::any_of(
      summary.curves, [](const TtaCurves& curves) { return curves.to_target.size() == 1; });
  text +=
      has_one_run ? "; one run gives none: how much the next one differs is not known.\n" : ".\n";
  text += fmt::format(
      "Faster, slower: p below {} in a permutation test of the runs' times, and an interval of the "
      "speedup without 1; else they cannot be told apart.",
      curves::kSignificant);
  const std::size_t tests = count_of_tests(summary);
  if (tests > 1) {
    text += fmt::format(" {} comparisons: {} of them are below {} by chance alone.", tests,
                        fmt::format("{:.3g}", static_cast<double>(tests) * curves::kSignificant),
                        curves::kSignificant);
  }
  return text + "\n";
}

/// How schemes without curves were dealt with.
std::string without_curves_text(const TtaSummary& summary) {
  const auto any = [&](auto is_one) { return std::ranges::any_of(summary.results, is_one); };
  std::string text;
  if (any([](const TtaResult& result) { return result.predicted.has_value(); })) {
    text += fmt::format(
        "By its loss: no curve of the scheme is known, but where it ends. It is taken to be the "
        "dense curve, lowered by that loss in proportion to progress. The interval has the loss's "
        "rounding, what equal runs were published to differ by, and {} in the epochs, which is how "
        "far that is off on own small trainings (95 % of them).\n",
        format_percent(std::expm1(curves::kLossFormError)));
  }
  if (any([](const TtaResult& result) {
        return result.compared.verdict == curves::Verdict::unknown;
      })) {
    text +=
        "Unknown: neither a curve nor a loss at the end is published, in the metric of the curves; "
        "break-even is what can be said.\n";
  }
  return text;
}

/// What is taken of dense trainings of other lengths.
std::string lengths_text(const TtaSummary& summary) {
  if (!summary.is_of_ends() || !summary.config.is_of_loss()) return "";
  return fmt::format(
      "Trainings of any length: a dense one ends with a loss ~ length^-{:.4f}, by public pairs of "
      "124 M to 3 B parameters and 20 to 200 tokens a parameter, which are up to {} off in the "
      "logarithm of the length. A scheme is taken to end so much above dense at any length. It "
      "pays below: what a dense run as short as the scheme's hours loses.\n",
      curves::kLengthExponent, format_percent(curves::kLengthError));
}

/// What trainings to the target draw and cost.
std::string costs_text(const TtaSummary& summary) {
  const TtaConfig& config = summary.config;
  std::vector<std::string> sums;
  for (const TtaResult& one : summary.results) {
    const auto energy = one.kilowatt_hours(config.devices);
    if (!energy) continue;
    sums.push_back(
        fmt::format("{} on {} {} kWh", one.scheme, one.machine, format_significant(*energy)));
    if (!config.price_per_device_hour) continue;
    const double price = *config.price_per_device_hour * static_cast<double>(config.devices);
    sums.back() += fmt::format(" ({})", format_amount(std::llround(price * one.hours->value)));
  }
  if (sums.empty()) return "";
  const std::string price =
      config.price_per_device_hour
          ? fmt::format(" (and cost at {:g} a device-hour)", *config.price_per_device_hour)
          : "";
  return fmt::format("Boards draw{}: {}.\n", price, fmt::join(sums, ", "));
}

}  // namespace

std::string length_lines(const TtaSummary& summary) {
  std::string text;
  for (const std::string& other : summary.others) text += "Beside these: " + other + ".\n";
  return text + lengths_text(summary) + costs_text(summary);
}

namespace {

std::string how_lines(const TtaSummary& summary) {
  std::string text = length_lines(summary);
  if (summary.question.curves.target && !summary.curves.empty()) text += interval_text(summary);
  text += without_curves_text(summary);
  text +=
      "Break-even: how many times the epochs of dense training the scheme may take and be done no "
      "later.\n";
  if (!summary.config.curves_of.empty()) {
    text += fmt::format(
        "Curves are of {}, steps of what is named above: that the epochs carry over is assumed.\n",
        summary.config.curves_of);
  }
  if (summary.config.devices > 1) {
    text += fmt::format(
        "{} devices: each takes a step of its batch as one alone does; exchanging gradients is "
        "not simulated.\n",
        summary.config.devices);
  }
  return text;
}

std::string source_lines(const TtaSummary& summary) {
  std::string text;
  const auto add = [&text](const std::string& source) {
    const std::string line = "Published: " + source + "\n";
    if (!source.empty() && text.find(line) == std::string::npos) text += line;
  };
  for (const TtaComparison& one : summary.comparisons) add(one.pair.source);
  for (const TtaOrdering& one : summary.orderings) add(one.pair.source);
  for (const TtaMeasured& one : summary.measured) add(one.measured.source);
  return text;
}

std::string notes_of(const TtaSummary& summary) {
  std::string text;
  for (const std::string& note : summary.notes) text += "Note: " + note + "\n";
  return text;
}

/// " (118 for 150)"
std::string epochs_text(double ratio, const std::optional<double>& epochs) {
  return epochs ? fmt::format(" ({:.0f} for {:.6g})", ratio * *epochs, *epochs) : "";
}

/// What a published saving says of the number of epochs, given how long they take.
std::string implied_text(const TtaComparison& one, const std::optional<double>& epochs) {
  const SchemePair& pair = one.pair;
  const double implied = *one.implied_epochs(one.step_ratio);
  const double pruning_free = *one.implied_epochs(one.step_ratio_pruning_free);
  std::string text = fmt::format(
      " If {} saves {} of the time, as published, it takes {} times the epochs of {}{}, {}{} "
      "without pruning's cost",
      pair.scheme, format_percent(*pair.published_less_time), format_significant(implied),
      pair.against, epochs_text(implied, epochs), format_significant(pruning_free),
      epochs_text(pruning_free, epochs));
  if (pair.published_step_ratio) {
    const double by_paper = (1 - *pair.published_less_time) * *pair.published_step_ratio;
    text += fmt::format("; by the published ratio {}{}", format_significant(by_paper),
                        epochs_text(by_paper, epochs));
  }
  const double faster = 1 + *pair.published_less_time;
  text += fmt::format(". Read as {} as fast, {} times{}", format_speedup(faster),
                      format_significant(one.step_ratio / faster),
                      epochs_text(one.step_ratio / faster, epochs));
  return text + ".";
}

/// What a pair comes to.
std::string comparison_line(const TtaComparison& one, const std::optional<double>& epochs) {
  const SchemePair& pair = one.pair;
  std::string text = fmt::format(
      "{}: an epoch of {} takes {} times as long as one of {}, {} times without pruning's cost",
      one.machine, pair.against, format_significant(one.step_ratio), pair.scheme,
      format_significant(one.step_ratio_pruning_free));
  if (pair.published_step_ratio) {
    text += fmt::format("; published {}", format_significant(*pair.published_step_ratio));
  }
  return text + "." + (pair.published_less_time ? implied_text(one, epochs) : "") + "\n";
}

}  // namespace

std::string format_hours(double hours) {
  const Unit unit = unit_of(hours);
  return fmt::format("{} {}", format_significant(hours * unit.per_hour), unit.name);
}

std::string format_hours_range(const curves::Interval& hours) {
  const Unit unit = unit_of(hours.low);
  if (std::isinf(hours.high)) {
    return fmt::format("{} {}..never", format_significant(hours.low * unit.per_hour), unit.name);
  }
  return fmt::format("{}..{} {}", format_significant(hours.low * unit.per_hour),
                     format_significant(hours.high * unit.per_hour), unit.name);
}

std::string format_apart(const curves::Difference& difference) {
  if (difference.least_p >= curves::kSignificant) return "too few runs";
  return difference.p_value < curves::kSignificant ? "they differ" : "cannot be told apart";
}

std::string format_training(double amount) {
  constexpr double kLarge = 1000;
  return amount >= kLarge ? format_amount(std::llround(amount)) : fmt::format("{:.4g}", amount);
}

std::string place_text(const TtaSummary& summary, const std::string& machine) {
  std::vector<std::string> networks;
  for (const NetworkSpan& span : summary.config.schedule) networks.push_back(span.network);
  const std::int64_t devices = summary.config.devices;
  return fmt::format("{} on {}{}", fmt::join(networks, ", "),
                     devices > 1 ? fmt::format("{} ", devices) : "", machine);
}

const TtaResult* result_of(const TtaResults& results, std::string_view scheme) {
  const auto found = std::ranges::find(results, scheme, &TtaResult::scheme);
  return found == results.end() ? nullptr : *found;
}

std::string answer_line(const TtaSummary& summary, const TtaResults& results) {
  const std::string place = place_text(summary, results.front()->machine);
  const TtaResult* const dense = result_of(results, kBaselineScheme);
  if (dense == nullptr) return place + ": the dense step failed\n";
  std::string line = place + ": " + dense_text(summary, *dense);
  if (summary.question.curves.target) {
    using curves::Verdict;
    line += named(results, Verdict::faster, "faster") + named(results, Verdict::slower, "slower") +
            named(results, Verdict::not_told_apart, "cannot be told apart") +
            named(results, Verdict::one_run, "one run, so nobody knows") +
            named(results, Verdict::not_reached, "never") +
            named(results, Verdict::dense_not_reached, "where dense does not");
  }
  if (dense->most_loss) return line + unknown_ends(results) + "\n";
  const auto is_faster = [](const TtaResult* one) {
    return one->compared.verdict == curves::Verdict::faster;
  };
  if (std::ranges::any_of(results, is_faster)) {
    line += "; whether a dense run of a shorter schedule does so too is unknown";
  }
  const bool has_compared = line.find(';') != std::string::npos;
  if (summary.question.curves.target) line += named(results, curves::Verdict::unknown, "unknown");
  return line + (has_compared ? "" : most_allowed(results)) + "\n" + beside_line(results);
}

std::string evidence_lines(const TtaResults& results) {
  std::string text = "What it rests on:\n";
  for (const TtaResult* const result : results) {
    text += fmt::format("  {}: {}\n", result->scheme, result->evidence);
  }
  return text;
}

std::string comparison_lines(const TtaSummary& summary, const char* before) {
  std::string text;
  for (const TtaComparison& one : summary.comparisons) {
    text += before + comparison_line(one, summary.config.epochs);
  }
  return text;
}

std::string closing_lines(const TtaSummary& summary) {
  return how_lines(summary) + source_lines(summary) + notes_of(summary);
}

}  // namespace stcsim
