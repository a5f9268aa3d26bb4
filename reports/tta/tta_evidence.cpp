#include "reports/tta/tta_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stcsim {

namespace {

/// How the scheme prunes, as publications write it: "rescaled magnitude".
std::string pruning_of_scheme(const Scheme& scheme) {
  for (const Phase phase : kPhases) {
    const auto& sparsity = scheme.rule(phase).sparsity;
    if (!sparsity) continue;
    std::string name = sparsity->prune;
    std::replace(name.begin(), name.end(), '-', ' ');
    return name;
  }
  return "";
}

/// "bert_large" of bert_large_pretraining_s512, "resnet18" of resnet18_r160.
std::string family_of(const std::string& network) {
  static const std::regex of_input("(_pretraining)?(_[sr][0-9]+)?$");
  return std::regex_replace(network, of_input, "", std::regex_constants::format_first_only);
}

std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string("not published");
}

std::string published_text(const curves::PublishedFinal& published) {
  const bool in_nats =
      published.metric.starts_with("perplexity") && published.dense && published.sparse;
  return fmt::format(
      "published final {} {}, dense {}{} ({})", published.metric, value_text(published.sparse),
      value_text(published.dense),
      in_nats ? fmt::format(": {:+.3f} nats", std::log(*published.sparse / *published.dense)) : "",
      published.source);
}

std::string predicted_text(const TtaPrediction& predicted) {
  const curves::Interval& end = predicted.crossing.end_between;
  return fmt::format("so it ends at {:.4g} ({:.4g}..{:.4g}), and gets there as dense does",
                     predicted.crossing.end, end.low, end.high);
}

std::string curves_text(const TtaResult& result, const TtaConfig& config) {
  const std::size_t runs = result.curves->figures.runs.size();
  const std::string& by = result.curves->published_by;
  if (!by.empty()) return fmt::format("{} published runs without curves ({} and others)", runs, by);
  if (result.curves->is_of_ends) {
    return fmt::format("ends with {:.6g}", result.curves->figures.final_value.mean);
  }
  std::string text = fmt::format("{} curve{}", runs, runs == 1 ? "" : "s");
  if (!config.curves_of.empty()) text += " of " + config.curves_of;
  return text;
}

}  // namespace

std::string pattern_of_scheme(const Scheme& scheme) {
  for (const Phase phase : kPhases) {
    const auto& sparsity = scheme.rule(phase).sparsity;
    if (sparsity) return sparsity->pattern.to_string();
  }
  return "";
}

std::string shipped_name(const Scheme& scheme) {
  const std::string end = "-" + pattern_of_scheme(scheme);
  return scheme.name.ends_with(end) ? scheme.name.substr(0, scheme.name.size() - end.size())
                                    : scheme.name;
}

std::optional<curves::PublishedFinal> published_of(const std::vector<curves::PublishedFinal>& rows,
                                                   const Scheme& scheme, const std::string& network,
                                                   std::string_view metric) {
  const curves::PublishedFinal* found = nullptr;
  std::pair<bool, bool> best;
  for (const curves::PublishedFinal& row : rows) {
    const bool is_own = row.config == shipped_name(scheme) &&
                        family_of(row.network_config) == family_of(network) &&
                        row.pattern == pattern_of_scheme(scheme);
    if (!is_own) continue;
    const std::pair<bool, bool> fits{curves::says_loss(row, metric),
                                     row.scheme.ends_with(pruning_of_scheme(scheme))};
    if (found != nullptr && (fits < best || (fits == best && !fits.second))) continue;
    found = &row;
    best = fits;
  }
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::vector<std::string> published_of_others(const std::vector<curves::PublishedFinal>& rows,
                                             const std::vector<Scheme>& schemes,
                                             const std::string& network, std::string_view metric) {
  std::vector<std::string> others;
  for (const curves::PublishedFinal& row : rows) {
    const bool is_known = std::ranges::any_of(
        schemes, [&](const Scheme& scheme) { return shipped_name(scheme) == row.config; });
    if (is_known || !curves::says_loss(row, metric)) continue;
    if (family_of(row.network_config) != family_of(network)) continue;
    others.push_back(fmt::format("{}, {}: {}", row.scheme, row.pattern, published_text(row)));
  }
  return others;
}

std::string evidence_of(const TtaResult& result, const TtaConfig& config, bool other_has_curves) {
  std::vector<std::string> parts;
  if (result.curves != nullptr) parts.push_back(curves_text(result, config));
  if (result.published) parts.push_back(published_text(*result.published));
  const std::string& said = config.training_of(result.scheme).evidence;
  if (!said.empty()) parts.push_back(said);
  if (parts.empty()) parts.emplace_back("nothing published for this network");
  if (result.own && result.scheme != kBaselineScheme) {
    parts.push_back(
        fmt::format("own small trainings on text end {:+.3f} ± {:.3f} nats a byte above",
                    result.own->value, result.own->between.high - result.own->value));
  }
  if (result.predicted) parts.push_back(predicted_text(*result.predicted));
  if (result.curves == nullptr && !result.predicted) {
    parts.emplace_back(other_has_curves ? "epochs unknown" : "no curve");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::size_t count_of_tests(const TtaSummary& summary) {
  std::size_t tests = summary.orderings.size();
  for (const TtaResult& result : summary.results) {
    const bool is_first_machine = result.machine == summary.results.front().machine;
    if (result.compared.difference) ++tests;
    if (result.final_difference && is_first_machine) ++tests;
  }
  return tests;
}

void add_front(TtaSummary& summary, const std::string& machine, std::size_t first) {
  std::vector<curves::TimedValue> all;
  for (std::size_t at = first; at < summary.results.size(); ++at) {
    const auto& points = summary.results[at].points;
    all.insert(all.end(), points.begin(), points.end());
  }
  const bool lower = summary.question.curves.lower_is_better;
  for (std::size_t at = first; at < summary.results.size(); ++at) {
    TtaResult& result = summary.results[at];
    if (result.points.empty()) continue;
    curves::TimedValue end = result.points.back();
    end.value =
        result.predicted ? result.predicted->crossing.end : result.curves->figures.final_value.mean;
    result.is_on_front = !curves::is_beaten(end, all, lower);
  }
  summary.fronts.push_back({machine, curves::pareto_front(all, lower)});
}

curves::Curve mean_of(const TtaCurves& curves, const TtaQuestion& question) {
  curves::Curve mean{question.curves.metric, question.over, {}};
  for (const curves::MeanPoint& point : curves.mean) mean.points.push_back({point.x, point.mean});
  return mean;
}

PredictedRuns predicted_runs(const TtaCurves& other, const TtaQuestion& question,
                             const curves::PredictedCrossing& crossing) {
  PredictedRuns found;
  found.to_target.assign(other.to_target.size(), std::nullopt);
  if (!crossing.x) return found;
  found.factor = {*crossing.low / *crossing.x, crossing.high
                                                   ? *crossing.high / *crossing.x
                                                   : std::numeric_limits<double>::infinity()};
  const curves::Target target{*question.curves.target, question.curves.lower_is_better};
  const std::optional<double> of_mean =
      curves::smoothed_crossing(mean_of(other, question), target, 1);
  for (std::size_t at = 0; at < found.to_target.size(); ++at) {
    const curves::RunFigures& run = other.figures.runs[at];
    if (!of_mean) found.to_target[at] = crossing.x;  // above the other one's end
    if (of_mean && run.first_crossing) {
      found.to_target[at] = std::min(*run.first_crossing * *crossing.x / *of_mean, run.last_x);
    }
  }
  return found;
}

}  // namespace stcsim
