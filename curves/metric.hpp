#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "curves/run.hpp"

namespace stcsim::curves {

/// Whether a metric's name says that lower is better: loss, error, perplexity, word error rate...
[[nodiscard]] bool sounds_lower_is_better(std::string_view metric);

/// Whether its name says that a metric is a fraction or percentage of right answers: acc, top.
[[nodiscard]] bool is_share(std::string_view metric);
/// Whether such a metric is a fraction rather than percent: its largest value is at most 1.5.
[[nodiscard]] bool is_fraction(const Curve& curve);

/// The metrics that every one of the runs has, in the first one's order.
[[nodiscard]] std::vector<std::string> common_metrics(const std::vector<Run>& runs);

/// The metric of the runs that is meant by `name`, whatever the case of its letters; with an empty
/// name their only one.
/// @throws ConfigError if a run has no such metric, or there is more than one to choose from
[[nodiscard]] std::string choose_metric(const std::vector<Run>& runs, const std::string& name);

/// Refuses runs that cannot be compared: over different axes, or an accuracy as a fraction in one
/// and in percent in another (the largest value is at most 1.5 in one only).
/// @throws ConfigError that names both runs
void check_comparable(const std::vector<Run>& runs, const std::string& metric);

/// Refuses a target in percent for an accuracy that is a fraction.
/// @throws ConfigError that names the target
void check_target(const std::vector<Run>& runs, const std::string& metric, double target);

}  // namespace stcsim::curves
