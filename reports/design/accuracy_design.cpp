#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/csv_table.hpp"
#include "curves/published.hpp"
#include "curves/time_to_accuracy.hpp"
#include "reports/design/design_report.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/cost/machine_area.hpp"

namespace stcsim {
namespace {

constexpr double kPoints = 100;
/// What is published of networks whose spaces have no task of their own.
constexpr const char* kAccuracy = "accuracy";

/// Those of tasks whose metric is an accuracy.
std::vector<curves::TrainedMean> trained_means() {
  auto rows = curves::read_trained_means(config_directory() / "papers" / "trained.csv");
  std::erase_if(rows, [](const auto& row) { return !curves::is_share(row.metric); });
  return rows;
}

void mark_front(std::vector<AccuracyPoint>& points) {
  std::vector<std::vector<double>> costs;
  std::vector<AccuracyPoint*> known;
  for (AccuracyPoint& point : points) {
    if (!point.known) continue;
    known.push_back(&point);
    costs.push_back({point.hours, point.joules.value_or(0), point.area_ratio, point.known->points});
  }
  for (const std::size_t at : curves::pareto_front(costs)) known[at]->is_on_front = true;
}

/// Of the points that `is_within`, dense among them, the smallest of those that are as fast as the
/// fastest.
template <class IsWithin>
std::size_t fastest(const std::vector<AccuracyPoint>& points, IsWithin is_within) {
  double least = std::numeric_limits<double>::infinity();
  for (const AccuracyPoint& point : points) {
    if (point.known && is_within(*point.known)) least = std::min(least, point.hours);
  }
  std::optional<std::size_t> found;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const AccuracyPoint& point = points[at];
    if (!point.known || !is_within(*point.known) || point.hours > least * (1 + kAsFast)) continue;
    if (!found || point.area_ratio < points[*found].area_ratio) found = at;
  }
  return found.value_or(0);
}

constexpr double kUsPerHour = 3.6e9;

/// "widths x2": the first axis of each dimension that is the machine's alone, over its first value.
std::string machine_text(const Space& space, const SweepPoint& point) {
  std::string text;
  for (const Dimension& dimension : space.dimensions) {
    const Axis& axis = space.axes[dimension.axes.front()];
    const bool is_machine = std::ranges::all_of(dimension.axes, [&](std::size_t at) {
      return space.axes[at].root() == "machine" && space.axes[at].values.size() > 1;
    });
    if (!is_machine) continue;
    const auto own =
        std::ranges::find(point.values, axis.name, &std::pair<std::string, std::string>::first);
    const auto first = to_number(axis.values.front()->label);
    const auto value = to_number(own->second);
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ",
        dimension.name.empty() ? axis.name.substr(axis.name.rfind('.') + 1) : dimension.name,
        first && value ? fmt::format("x{:.3g}", *value / *first) : own->second);
  }
  return text;
}

void check(const SweepPlan& plan) {
  const auto& points = plan.points;
  const bool is_one = !points.empty() && std::ranges::all_of(points, [&](const SweepPoint& point) {
    return point.kind == PointKind::step && point.network == points.front().network &&
           point.framework == points.front().framework;
  });
  if (is_one && plan.space.accuracy) return;
  throw ConfigError(
      fmt::format("--target: space '{}' must have 'accuracy', which says how long trainings are, "
                  "and steps of one network and framework",
                  plan.space.name));
}

/// Points of a simulated space, with what is known of where they end.
class AccuracyPoints {
 public:
  AccuracyPoints(const SweepPlan& plan, const SweepStore& store, const CostTable& areas)
      : plan_(plan),
        accuracy_(*plan.space.accuracy),
        store_(store),
        areas_(areas),
        finals_(curves::read_published_finals(config_directory() / "curves" / "final_values.csv")),
        seeds_(curves::read_published_seeds(config_directory() / "curves" / "seeds.csv")) {}

  AccuracyDesign design() {
    const Experiment first = experiment_of(plan_.points.front());
    network_ = first.networks.front().name;
    steps_ = accuracy_.epochs * accuracy_.samples_per_epoch /
             static_cast<double>(first.networks.front().batch);
    for (const SweepPoint& point : plan_.points) add(point);
    AccuracyDesign design;
    design.title = fmt::format("space {}: {}, {:.6g} epochs, {}", plan_.space.name, network_,
                               accuracy_.epochs, first.framework.name);
    design.points = dense_;
    design.points.insert(design.points.end(), sparse_.begin(), sparse_.end());
    design.dense_end = dense_end();
    design.evidence = evidence();
    return design;
  }

 private:
  [[nodiscard]] std::string evidence() const {
    if (!accuracy_.task.empty()) {
      return fmt::format(
          "own small trainings on generated {}, means of several seeds with their intervals: what "
          "{} would do they do not say",
          accuracy_.task, network_);
    }
    const bool is_own = std::ranges::find(seeds_, network_,
                                          &curves::PublishedSeeds::network_config) != seeds_.end();
    return fmt::format(
        "published final values, one run each, rounded to 0.1; equal dense trainings of {} were "
        "published to differ by {:.2g} in 95 % of cases",
        is_own ? network_ : "other networks",
        curves::difference_of_equal_runs(seeds_, network_, kAccuracy));
  }

  [[nodiscard]] std::optional<double> dense_end() const {
    if (!accuracy_.task.empty()) return trained_end(accuracy_.task, kBaselineScheme);
    const auto row = std::ranges::find_if(finals_, [&](const curves::PublishedFinal& one) {
      return one.network_config == network_ && one.dense && one.sparse;
    });
    return row == finals_.end() ? std::nullopt : row->dense;
  }

  [[nodiscard]] std::optional<KnownLoss> known(const Scheme& scheme) const {
    if (accuracy_.task.empty()) return published_loss_of(finals_, seeds_, scheme, network_);
    // With its own pattern a scheme was trained under its own name.
    const std::string shipped = shipped_name(scheme);
    const bool is_own = pattern_of_scheme(load_scheme(shipped)) == pattern_of_scheme(scheme);
    return trained_loss_of(accuracy_.task, is_own ? shipped : scheme.name);
  }

  void add(const SweepPoint& point) {
    const nlohmann::ordered_json figures = stored_figures(store_, point);
    const Scheme scheme = experiment_of(point).schemes.back();
    const double area = area_of(point.machine->spec.config, areas_).machine_um2;
    if (first_area_ == 0) first_area_ = area;
    const auto made = [&](const std::string& name, const std::string& prefix) {
      AccuracyPoint one;
      one.scheme = name;
      one.machine = machine_text(plan_.space, point);
      one.hours = steps_ * figures.at(prefix + "time_us").get<double>() / kUsPerHour;
      const auto& joules = figures.at(prefix + "joules");
      if (!joules.is_null()) one.joules = steps_ * joules.get<double>();
      one.area_ratio = area / first_area_;
      return one;
    };
    AccuracyPoint dense = made(kBaselineScheme, "dense_");
    dense.known = KnownLoss{};
    const auto same = std::ranges::find(dense_, dense.machine, &AccuracyPoint::machine);
    if (same == dense_.end()) dense_.push_back(dense);
    if (scheme.name == kBaselineScheme) return;
    sparse_.push_back(made(scheme.name, ""));
    sparse_.back().known = known(scheme);
  }

  const SweepPlan& plan_;
  const SpaceAccuracy& accuracy_;
  const SweepStore& store_;
  const CostTable& areas_;
  std::vector<curves::PublishedFinal> finals_;
  std::vector<curves::PublishedSeeds> seeds_;
  std::string network_;
  double steps_ = 0;
  double first_area_ = 0;
  std::vector<AccuracyPoint> dense_;
  std::vector<AccuracyPoint> sparse_;
};

}  // namespace

std::optional<KnownLoss> published_loss_of(const std::vector<curves::PublishedFinal>& finals,
                                           const std::vector<curves::PublishedSeeds>& seeds,
                                           const Scheme& scheme, const std::string& network) {
  const auto row = published_of(finals, scheme, network, kAccuracy);
  if (!row) return std::nullopt;
  // A curve that is no fraction: losses are in percent, as they are published.
  const curves::Curve percent{kAccuracy, curves::Axis::epochs, {{1, kPoints}}};
  const auto loss = curves::published_loss(
      *row, percent, curves::difference_of_equal_runs(seeds, network, kAccuracy));
  if (!loss) return std::nullopt;
  return KnownLoss{loss->value, loss->between.high - loss->value, row->source};
}

std::optional<KnownLoss> trained_loss_of(const std::string& task, const std::string& scheme) {
  const auto loss = curves::trained_loss(trained_means(), task, scheme);
  if (!loss) return std::nullopt;
  return KnownLoss{kPoints * loss->value, kPoints * (loss->between.high - loss->value),
                   "own trainings on " + task};
}

std::optional<double> trained_end(const std::string& task, const std::string& scheme) {
  const auto end = curves::trained_end(trained_means(), task, scheme);
  return end ? std::optional(kPoints * end->mean) : std::nullopt;
}

void choose(AccuracyDesign& design) {
  mark_front(design.points);
  const double most = design.most_loss;
  design.is_distinguishable = std::ranges::any_of(design.points, [&](const AccuracyPoint& point) {
    return point.known && point.scheme != kBaselineScheme && point.known->error <= most;
  });
  if (!design.is_distinguishable) return;
  design.sure =
      fastest(design.points, [&](const KnownLoss& loss) { return loss.is_surely_within(most); });
  design.possible =
      fastest(design.points, [&](const KnownLoss& loss) { return loss.may_be_within(most); });
}

AccuracyDesign find_accuracy_design(Space space, double target, bool is_loss,
                                    const CostTable& areas, const SweepOptions& options,
                                    const std::filesystem::path& results) {
  require_areas(areas);
  const SweepPlan plan = plan_sweep(std::move(space));
  check(plan);
  SweepStore store(results, Database::Access::write);
  static_cast<void>(run_sweep(plan, store, options));
  AccuracyDesign design = AccuracyPoints(plan, store, areas).design();
  if (!is_loss && !design.dense_end) {
    throw ConfigError("--target: where dense ends is not known, so it must be dense-POINTS");
  }
  design.most_loss = is_loss ? target : *design.dense_end - target;
  choose(design);
  return design;
}

}  // namespace stcsim
