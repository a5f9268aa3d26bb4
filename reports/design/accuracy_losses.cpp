// Where trainings are known to end: published final values, and the project's own trainings.
#include <algorithm>
#include <cmath>
#include <limits>

#include "curves/published.hpp"
#include "curves/time_to_accuracy.hpp"
#include "reports/design/accuracy_design.hpp"
#include "reports/design/table_fields.hpp"
#include "reports/tta/tta_evidence.hpp"
#include "sim/design/design_question.hpp"

namespace stcsim {
namespace {

constexpr double kPoints = 100;

struct TrainedEnd {
  double percent = 0;
  double half_interval = 0;
};

std::optional<TrainedEnd> end_of(const std::string& task, const std::string& scheme) {
  const CsvTable table =
      read_paper_table("trained", {"task", "scheme", "epoch", "seeds", "mean", "low", "high"});
  std::optional<TrainedEnd> end;
  for (const CsvTable::Row& row : table.rows()) {
    const TableFields fields(table, row);
    if (fields.text("task") != task || fields.text("scheme") != scheme) continue;
    const auto percent = [&](const char* column) { return kPoints * fields.number(column, 0, 1); };
    end = TrainedEnd{percent("mean"), (percent("high") - percent("low")) / 2};
  }
  return end;
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

}  // namespace

std::optional<KnownLoss> published_loss_of(const std::vector<curves::PublishedFinal>& finals,
                                           const Scheme& scheme, const std::string& network) {
  const auto row = published_of(finals, scheme, network);
  if (!row) return std::nullopt;
  // A curve that is no fraction: losses are in percent, as they are published.
  const curves::Curve percent{"accuracy", curves::Axis::epochs, {{1, kPoints}}};
  const auto loss = curves::published_loss(*row, percent, curves::distance_of_equal_runs(finals));
  if (!loss) return std::nullopt;
  return KnownLoss{loss->value, loss->between.high - loss->value, row->source};
}

std::optional<KnownLoss> trained_loss_of(const std::string& task, const std::string& scheme) {
  const auto dense = end_of(task, kBaselineScheme);
  const auto own = end_of(task, scheme);
  if (!dense || !own) return std::nullopt;
  return KnownLoss{dense->percent - own->percent,
                   std::hypot(dense->half_interval, own->half_interval),
                   "own trainings on " + task};
}

std::optional<double> trained_end(const std::string& task, const std::string& scheme) {
  const auto end = end_of(task, scheme);
  return end ? std::optional(end->percent) : std::nullopt;
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

}  // namespace stcsim
