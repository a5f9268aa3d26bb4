#include "curves/run.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/suggestion.hpp"

namespace stcsim::curves {
namespace {

constexpr std::array<std::string_view, 5> kAxisNames{"epochs", "steps", "samples", "hours",
                                                     "seconds"};

}  // namespace

std::string_view to_string(Axis axis) {
  return kAxisNames.at(static_cast<std::size_t>(axis));
}

std::optional<Axis> axis_from_name(std::string_view name) {
  for (std::size_t at = 0; at < kAxisNames.size(); ++at) {
    const std::string_view plural = kAxisNames[at];
    const bool is_one = same_but_case(name, plural.substr(0, plural.size() - 1));
    if (is_one || same_but_case(name, plural)) return static_cast<Axis>(at);
  }
  return std::nullopt;
}

const Curve* Run::find(std::string_view metric) const {
  const auto found = std::ranges::find(curves, metric, &Curve::metric);
  return found == curves.end() ? nullptr : &*found;
}

RunFile NoteList::with_runs(std::vector<Run> runs, const std::string& file,
                            const std::string& nothing) {
  if (runs.empty()) {
    if (notes_.empty()) throw ConfigError(SourceLocation{file}, nothing);
    throw ConfigError(notes_.front().where, fmt::format("{}: {}", nothing, notes_.front().text));
  }
  if (count_ > kMost) notes_.push_back({{file}, fmt::format("and {} more notes", count_ - kMost)});
  return {std::move(runs), std::move(notes_)};
}

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
  return std::ranges::max_element(curve.points, {}, &Point::value)->value;
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
  const std::string letters = letters_of(metric);
  return letters.find("acc") != std::string::npos || letters.find("top") != std::string::npos;
}

bool is_fraction(const Curve& curve) {
  return largest(curve) <= kLargestFraction;
}

bool sounds_lower_is_better(std::string_view metric) {
  constexpr std::array<std::string_view, 15> kLower{"loss", "err",        "error", "eer", "wer",
                                                    "cer",  "perplexity", "ppl",   "mae", "mse",
                                                    "rmse", "nll",        "bpc",   "ce",  "ter"};
  return std::ranges::any_of(words_of(metric), [&](const std::string& word) {
    return word.ends_with("loss") || std::ranges::find(kLower, word) != kLower.end();
  });
}

std::vector<std::string> common_metrics(const std::vector<Run>& runs) {
  std::vector<std::string> common = runs.empty() ? std::vector<std::string>{} : metrics_of(runs[0]);
  std::erase_if(common, [&](const std::string& name) {
    return std::ranges::any_of(runs, [&](const Run& run) { return run.find(name) == nullptr; });
  });
  return common;
}

std::string choose_metric(const std::vector<Run>& runs, const std::string& name) {
  const std::vector<std::string> common = common_metrics(runs);
  if (name.empty()) {
    if (common.size() == 1) return common.front();
    throw ConfigError(common.empty() ? std::string("the runs have no metric in common")
                                     : "--metric is missing, must be one of " + some_of(common));
  }
  const auto is_meant = [&](const std::string& one) { return same_but_case(one, name); };
  for (const Run& run : runs) {
    const std::vector<std::string> names = metrics_of(run);
    if (std::ranges::any_of(names, is_meant)) continue;
    throw ConfigError(fmt::format("--metric is '{}', which '{}' does not have, must be one of {}{}",
                                  name, run.name, some_of(names), did_you_mean(name, names)));
  }
  if (std::ranges::find(common, name) != common.end()) return name;
  const auto found = std::ranges::find_if(common, is_meant);
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
                                    to_string(measure.axis), run.name, to_string(curve.axis)));
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
