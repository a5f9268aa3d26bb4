#include "curves/metric.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.hpp"
#include "common/io/suggestion.hpp"
#include "common/letter_case.hpp"

namespace stcsim::curves {
namespace {

constexpr double kLargestFraction = 1.5;
constexpr std::size_t kMostNamed = 20;

/// The words of a name in lower case: "val_Loss/mean" has val, loss and mean.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words{""};
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalpha(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

double largest(const Curve& curve) {
  return std::max_element(
             curve.points.begin(), curve.points.end(),
             [](const Point& left, const Point& right) { return left.value < right.value; })
      ->value;
}

std::vector<std::string> metrics_of(const Run& run) {
  std::vector<std::string> names;
  for (const Curve& curve : run.curves) names.push_back(curve.metric);
  return names;
}

std::string some_of(std::vector<std::string> names) {
  if (names.size() > kMostNamed) {
    names.resize(kMostNamed);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool is_share(std::string_view metric) {
  std::string lower;
  for (const std::string& word : words_of(metric)) lower += word;
  return lower.find("acc") != std::string::npos || lower.find("top") != std::string::npos;
}

bool is_fraction(const Curve& curve) {
  return largest(curve) <= kLargestFraction;
}

bool sounds_lower_is_better(std::string_view metric) {
  constexpr std::array<std::string_view, 15> kLower{"loss", "err",        "error", "eer", "wer",
                                                    "cer",  "perplexity", "ppl",   "mae", "mse",
                                                    "rmse", "nll",        "bpc",   "ce",  "ter"};
  const std::vector<std::string> words = words_of(metric);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.ends_with("loss") || std::find(kLower.begin(), kLower.end(), word) != kLower.end();
  });
}

std::vector<std::string> common_metrics(const std::vector<Run>& runs) {
  std::vector<std::string> common;
  if (runs.empty()) return common;
  for (const std::string& name : metrics_of(runs.front())) {
    const bool everywhere = std::all_of(runs.begin(), runs.end(),
                                        [&](const Run& run) { return run.find(name) != nullptr; });
    if (everywhere) common.push_back(name);
  }
  return common;
}

std::string choose_metric(const std::vector<Run>& runs, const std::string& name) {
  const std::vector<std::string> common = common_metrics(runs);
  if (name.empty()) {
    if (common.size() == 1) return common.front();
    throw ConfigError(common.empty() ? std::string("the runs have no metric in common")
                                     : "--metric is missing, must be one of " + some_of(common));
  }
  for (const Run& run : runs) {
    const std::vector<std::string> names = metrics_of(run);
    const bool known = std::any_of(names.begin(), names.end(), [&](const std::string& one) {
      return same_but_case(one, name);
    });
    if (known) continue;
    throw ConfigError(fmt::format("--metric is '{}', which '{}' does not have, must be one of {}{}",
                                  name, run.name, some_of(names), did_you_mean(name, names)));
  }
  const auto exact = std::find(common.begin(), common.end(), name);
  if (exact != common.end()) return *exact;
  const auto found = std::find_if(common.begin(), common.end(),
                                  [&](const std::string& one) { return same_but_case(one, name); });
  if (found != common.end()) return *found;
  throw ConfigError(fmt::format("--metric is '{}', which the runs write in different cases", name));
}

void check_comparable(const std::vector<Run>& runs, const std::string& metric) {
  const Run& first = runs.front();
  const Curve& measure = *first.find(metric);
  for (const Run& run : runs) {
    const Curve& curve = *run.find(metric);
    if (curve.axis != measure.axis) {
      throw ConfigError(fmt::format("'{}' counts {}, but '{}' {}: choose with --over", first.name,
                                    axis_name(measure.axis), run.name, axis_name(curve.axis)));
    }
    if (is_share(metric) && is_fraction(curve) != is_fraction(measure)) {
      throw ConfigError(
          fmt::format("{} is at most {:.6g} in '{}', but {:.6g} in '{}': a fraction in one and "
                      "percent in the other, must be the same in all",
                      metric, largest(measure), first.name, largest(curve), run.name));
    }
  }
}

void check_target(const std::vector<Run>& runs, const std::string& metric, double target) {
  const Curve& curve = *runs.front().find(metric);
  if (!is_share(metric) || !is_fraction(curve) || target <= kLargestFraction) return;
  throw ConfigError(
      fmt::format("--target is {:.6g}, but {} is a fraction (at most {:.6g} in '{}'), "
                  "must be one too: {:.6g}",
                  target, metric, largest(curve), runs.front().name, target / 100));
}

}  // namespace stcsim::curves
