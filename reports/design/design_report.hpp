#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "curves/published.hpp"
#include "sim/design/design.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {

/// The answer for people: what was asked, the machine, what each resource is to it, and the way up.
[[nodiscard]] std::string design_text(const Design& design, std::size_t width);
/// The same in Markdown.
[[nodiscard]] std::string design_markdown(const Design& design);

/// stcsim.design/1 (docs/reference/results.md).
[[nodiscard]] std::string design_to_json(const Design& design);

/// How far below dense training a scheme ends, in points (hundredths of all that is asked), and
/// how far that may be off either way.
struct KnownLoss {
  double points = 0;
  double error = 0;
  std::string source;

  [[nodiscard]] bool is_surely_within(double most) const { return points + error <= most; }
  [[nodiscard]] bool may_be_within(double most) const { return points - error <= most; }
};

/// A scheme on a machine, and what a whole training takes there.
struct AccuracyPoint {
  std::string scheme;
  /// What of the machine grows, but for its patterns: "widths x2".
  std::string machine;
  double hours = 0;
  std::optional<double> joules;
  /// Of the first machine's.
  double area_ratio = 1;
  std::optional<KnownLoss> known;
  /// No other point whose loss is known beats it in hours, joules, area and loss.
  bool is_on_front = false;
};

/// Which scheme, pattern and machine of a space trains soonest and loses no more than so much.
struct AccuracyDesign {
  /// "space pays_resnet9: resnet9_cifar10, 150 epochs, nvidia_tuned"
  std::string title;
  /// In points, and where dense ends, in percent.
  double most_loss = 0;
  std::optional<double> dense_end;
  /// What losses are known from, and how exactly.
  std::string evidence;
  /// Dense on the first machine first.
  std::vector<AccuracyPoint> points;
  /// Whether any loss is known more exactly than the loss that is accepted.
  bool is_distinguishable = false;
  /// Places in `points`: the fastest that surely loses no more, and the fastest that may (within
  /// 1 % the smallest). Dense if no scheme is faster.
  std::size_t sure = 0;
  std::size_t possible = 0;
};

/// What published final values say of a scheme on a network; nothing without both values.
[[nodiscard]] std::optional<KnownLoss> published_loss_of(
    const std::vector<curves::PublishedFinal>& finals,
    const std::vector<curves::PublishedSeeds>& seeds, const Scheme& scheme,
    const std::string& network);

/// What own trainings on a task say (configs/papers/trained.csv): the last epoch's mean below
/// dense's; the error is half of both intervals, added in quadrature.
[[nodiscard]] std::optional<KnownLoss> trained_loss_of(const std::string& task,
                                                       const std::string& scheme);
/// Where a scheme ends there, in percent.
[[nodiscard]] std::optional<double> trained_end(const std::string& task, const std::string& scheme);

/// Front and answer of the points.
void choose(AccuracyDesign& design);

/// @param target  in percent, or with `is_loss` points below dense
/// @param results  the sweep's file (SweepStore)
/// @throws ConfigError for a space that has not one network and `accuracy`; SimulationError for a
///   point that cannot be simulated; StudyInterrupted
[[nodiscard]] AccuracyDesign find_accuracy_design(Space space, double target, bool is_loss,
                                                  const CostTable& areas,
                                                  const SweepOptions& options,
                                                  const std::filesystem::path& results);

/// For people, and in Markdown.
[[nodiscard]] std::string accuracy_design_text(const AccuracyDesign& design, std::size_t width);
[[nodiscard]] std::string accuracy_design_markdown(const AccuracyDesign& design);

}  // namespace stcsim
