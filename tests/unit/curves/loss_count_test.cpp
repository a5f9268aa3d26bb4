// Dense curves and losses at the end, and how well they predict the project's own trainings.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curves/analysis.hpp"
#include "curves/published.hpp"

namespace stcsim::curves {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

const std::string kShippedConfigs = STCSIM_SOURCE_DIR "/configs/";

Curve accuracy(std::vector<Point> points) {
  return {"eval_accuracy", Axis::epochs, std::move(points)};
}

PublishedFinal published(double dense, double sparse) {
  PublishedFinal row;
  row.metric = "top-1 %";
  row.dense = dense;
  row.sparse = sparse;
  return row;
}

TEST(Lowered, LosesInProportionToWhatIsReached) {
  const Curve curve = lowered(accuracy({{1, 0.4}, {2, 0.6}, {4, 0.8}}), 0.2);
  EXPECT_DOUBLE_EQ(curve.points[2].value, 0.6);
  EXPECT_DOUBLE_EQ(curve.points[0].value, 0.3);
  EXPECT_DOUBLE_EQ(curve.points[1].value, 0.45);
  EXPECT_THROW(static_cast<void>(lowered(accuracy({{1, 0}}), 0.1)), std::invalid_argument);
}

TEST(Lowered, ALossIsHigherAllAlong) {
  const Curve curve = lowered({"loss", Axis::epochs, {{1, 3}, {2, 2.5}}}, 0.25, true);
  EXPECT_EQ(curve.points, (std::vector<Point>{{1, 3.25}, {2, 2.75}}));
}

/// A tenth as long ends 10^0.0331 times as high; 0.1 above the end is a length of (end / target)^(1
/// / exponent), and a scheme that loses just that takes all of its own.
TEST(EndsByLength, FollowThePowerOfTheLength) {
  const Curve ends = ends_by_length("loss", 3, 2);
  EXPECT_NEAR(ends.points.front().x, 0.2, 1e-12);
  EXPECT_NEAR(ends.points.front().value, 3 * std::pow(10, kLengthExponent), 1e-12);
  EXPECT_EQ(ends.points.back(), (Point{2, 3}));
  const double length = 2 * std::pow(3 / 3.1, 1 / kLengthExponent);
  EXPECT_NEAR(*predict_crossing(ends, {3.1, true}, {}, 0).x / length, 1, 2e-4);
  const PredictedCrossing late = predict_crossing(ends, {3.1, true}, {0.1, {0.05, 0.15}}, 0);
  EXPECT_NEAR(*late.x, 2, 1e-6);
  EXPECT_NEAR(*late.low / (2 * std::pow(3 / 3.05, 1 / kLengthExponent)), 1, 1e-4);
  EXPECT_FALSE(late.high);
  EXPECT_DOUBLE_EQ(late.end_between.high, 3.15);
}

/// 0.3, 0.45 and 0.6 at epochs 1, 2 and 4: 0.525 lies in the middle of the last two.
TEST(PredictedCrossing, LiesOnTheStraightLine) {
  const Curve dense = accuracy({{1, 0.4}, {2, 0.6}, {4, 0.8}});
  const PredictedCrossing found = predict_crossing(dense, {0.525, false}, {0.2, {0.2, 0.2}}, 0.1);
  EXPECT_NEAR(*found.x, 3, 1e-7);
  EXPECT_NEAR(*found.low, 3 * std::exp(-0.1), 1e-7);
  EXPECT_NEAR(*found.high, 3 * std::exp(0.1), 1e-7);
  EXPECT_DOUBLE_EQ(found.end, 0.6);
}

TEST(PredictedCrossing, IsTheDenseOneWithoutALoss) {
  const Curve dense = accuracy({{1, 0.4}, {2, 0.6}, {4, 0.8}});
  EXPECT_NEAR(*predict_crossing(dense, {0.7, false}, {}, 0).x, 3, 1e-7);
}

/// A loss of 0.1 to 0.3 around 0.2: 0.62 is reached by the least one alone.
TEST(PredictedCrossing, MayBeOrNotBe) {
  const Curve dense = accuracy({{1, 0.4}, {2, 0.6}, {4, 0.8}});
  PredictedCrossing found = predict_crossing(dense, {0.62, false}, {0.2, {0.1, 0.3}}, 0);
  EXPECT_FALSE(found.x);
  EXPECT_TRUE(found.low);
  EXPECT_FALSE(found.high);
  EXPECT_DOUBLE_EQ(found.end_between.low, 0.5);
  EXPECT_DOUBLE_EQ(found.end_between.high, 0.7);
  found = predict_crossing(dense, {0.58, false}, {0.2, {0.1, 0.3}}, 0);
  EXPECT_TRUE(found.x);
  EXPECT_FALSE(found.high);
  EXPECT_FALSE(predict_crossing(dense, {0.71, false}, {0.2, {0.1, 0.3}}, 0).low);
}

/// What ends at the target has reached it by the end, however wrong the form.
TEST(PredictedCrossing, IsNeverLaterThanTheEnd) {
  const Curve dense = accuracy({{1, 0.4}, {2, 0.6}, {4, 0.8}});
  EXPECT_EQ(*predict_crossing(dense, {0.79, false}, {}, 1).high, 4);
}

/// Half a last digit of each value, and 0.4 between equal runs: sqrt(0.1^2 + 0.4^2).
TEST(PublishedLoss, IsAsSureAsItsRoundingAndEqualRuns) {
  const PublishedFinal row = published(78.1, 77.6);
  const auto loss = published_loss(row, accuracy({{1, 0.76}}), 0.4);
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->value, 0.005, 1e-12);
  EXPECT_NEAR(loss->between.high, 0.005 + 0.01 * std::sqrt(0.17), 1e-12);
  EXPECT_NEAR(published_loss(row, accuracy({{1, 76}}), 0)->between.low, 0.4, 1e-9);
}

TEST(PublishedLoss, IsUnknownWithoutBothValuesInTheCurvesMetric) {
  const Curve dense = accuracy({{1, 0.76}});
  PublishedFinal row = published(78.1, 77.6);
  row.metric = "SQuAD F1";
  EXPECT_FALSE(published_loss(row, dense, 0));
  EXPECT_FALSE(published_loss(published(78.1, 77.6), {"loss", Axis::epochs, {{1, 2}}}, 0));
  row = published(78.1, 77.6);
  row.dense.reset();
  EXPECT_FALSE(published_loss(row, dense, 0));
}

TEST(PublishedLoss, OfPerplexitiesIsTheLogarithmOfTheirRatio) {
  PublishedFinal row = published(20, 22);
  row.metric = "perplexity (lower is better)";
  const auto loss = published_loss(row, {"validation loss", Axis::epochs, {{1, 3}}}, 0);
  EXPECT_NEAR(loss->value, std::log(1.1), 1e-12);
  EXPECT_NEAR(loss->between.high - loss->value, 0.01 / 20, 1e-12);
  row.metric = "validation loss (nats)";
  EXPECT_NEAR(published_loss(row, {"loss", Axis::epochs, {{1, 3}}}, 0)->value, 2, 1e-12);
  EXPECT_FALSE(says_loss(row, "SQuAD F1"));
  row.metric = "SQuAD F1";
  EXPECT_TRUE(says_loss(row, "SQuAD F1"));
}

PublishedSeeds seeds(const std::string& network, const std::string& metric, double deviation) {
  PublishedSeeds row;
  row.network_config = network;
  row.metric = metric;
  row.standard_deviation = deviation;
  return row;
}

/// 95 % of differences of two are within 1.96 sqrt(2) standard deviations.
TEST(EqualRuns, DifferByTheMiddleOfTheNetworksOwnSpreads) {
  const std::vector<PublishedSeeds> rows{seeds("a", "top-1 %", 0.1), seeds("a", "top-1 %", 0.3),
                                         seeds("a", "top-5 %", 9), seeds("b", "top-1 %", 0.6),
                                         seeds("a", "F1", 7)};
  EXPECT_NEAR(difference_of_equal_runs(rows, "a", "accuracy"), 2.7718 * 0.3, 1e-3);
  EXPECT_NEAR(difference_of_equal_runs(rows, "b", "eval_accuracy"), 2.7718 * 0.6, 1e-3);
  EXPECT_NEAR(difference_of_equal_runs(rows, "c", "top-1 %"), 2.7718 * 0.45, 1e-3);
  EXPECT_EQ(difference_of_equal_runs(rows, "a", "GLUE average"), 0);
}

/// The last epoch counts; 2.5 is half a nat worse than 2, within (0.3^2 + 0.4^2)^0.5 / 2.
TEST(TrainedLoss, IsWhatTheLastEpochsDifferBy) {
  const auto row = [](const char* scheme, double epoch, double mean, double wide) {
    return TrainedMean{"text",          scheme,          epoch,       5, mean,
                       mean - wide / 2, mean + wide / 2, "eval_loss", {}};
  };
  std::vector<TrainedMean> rows{row("dense", 1, 9, 1), row("dense", 2, 2, 0.3),
                                row("s", 2, 2.5, 0.4)};
  const LossAtEnd loss = trained_loss(rows, "text", "s").value();
  EXPECT_DOUBLE_EQ(loss.value, 0.5);
  EXPECT_DOUBLE_EQ(loss.between.high, 0.75);
  EXPECT_FALSE(trained_loss(rows, "text", "t"));
  EXPECT_FALSE(trained_loss(rows, "images", "s"));
  rows.push_back(row("u", 1, 2.5, 0.4));  // it ended early
  EXPECT_FALSE(trained_loss(rows, "text", "u"));
  for (TrainedMean& one : rows) one.metric = "eval_accuracy";
  EXPECT_DOUBLE_EQ(trained_loss(rows, "text", "s")->value, -0.5);
}

/// Accuracies, means of five seeds, by task and scheme.
std::map<std::string, std::map<std::string, Curve>> trained() {
  std::map<std::string, std::map<std::string, Curve>> all;
  for (const TrainedMean& row : read_trained_means(kShippedConfigs + "papers/trained.csv")) {
    if (row.metric != "eval_accuracy") continue;
    Curve& curve = all[row.task][row.scheme];
    curve.metric = row.metric;
    curve.points.push_back({row.epoch, row.mean});
  }
  return all;
}

/// What a scheme was trained like (configs/experiments/tta_images.yaml: `against`).
std::string baseline(const std::string& task, const std::string& scheme) {
  return task == "images" && (scheme == "step" || scheme == "fst") ? "dense-adamw" : "dense";
}

using Form = std::function<Curve(const Curve& dense, double loss)>;

/// A scheme's epochs to a share of dense's end: as trained, and as predicted.
struct Row {
  std::string task;
  std::string scheme;
  std::optional<double> trained;
  std::optional<double> predicted;

  [[nodiscard]] bool arrives() const { return trained && predicted; }
  [[nodiscard]] double error() const { return std::abs(std::log(*trained / *predicted)); }
};

std::vector<Row> rows_by(const Form& form) {
  std::vector<Row> rows;
  for (const auto& [task, schemes] : trained()) {
    for (const auto& [scheme, own] : schemes) {
      if (scheme.starts_with("dense")) continue;
      const Curve& dense = schemes.at(baseline(task, scheme));
      const double end = dense.points.back().value;
      const Curve predicted = form(dense, end - own.points.back().value);
      for (const double share : {0.80, 0.90, 0.97}) {
        const Target target{share * end, false};
        rows.push_back({task, scheme, smoothed_crossing(own, target, 1),
                        smoothed_crossing(predicted, target, 1)});
      }
    }
  }
  return rows;
}

/// The least value that so many parts of all do not exceed.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(rank) - 1];
}

std::vector<double> errors_of(const std::vector<Row>& rows, const std::string& task = "") {
  std::vector<double> errors;
  for (const Row& row : rows) {
    if (row.arrives() && (task.empty() || row.task == task)) errors.push_back(row.error());
  }
  return errors;
}

double worse_median(const Form& form) {
  const std::vector<Row> rows = rows_by(form);
  return std::max(quantile(errors_of(rows, "images"), 0.5),
                  quantile(errors_of(rows, "tokens"), 0.5));
}

/// Dense's epoch at which it had what the scheme ends at, later by what is left.
double delay(const Curve& dense, double loss) {
  const double end = dense.points.back().x;
  return end - smoothed_crossing(dense, {dense.points.back().value - std::max(loss, 0.0), false}, 1)
                   .value_or(end);
}

Curve lowered_with_epochs(const Curve& dense, double loss) {
  Curve curve = dense;
  for (Point& point : curve.points) point.value -= loss * point.x / dense.points.back().x;
  return curve;
}
Curve lowered_all_along(const Curve& dense, double loss) {
  Curve curve = dense;
  for (Point& point : curve.points) point.value -= loss;
  return curve;
}
/// What lies behind the end is cut off there, at the value that is known.
Curve ending(Curve late, double end, double value) {
  std::erase_if(late.points, [&](const Point& point) { return point.x >= end; });
  late.points.push_back({end, value});
  return late;
}
Curve shifted(const Curve& dense, double loss) {
  Curve curve = dense;
  for (Point& point : curve.points) point.x += delay(dense, loss);
  return ending(curve, dense.points.back().x, dense.points.back().value - loss);
}
Curve stretched(const Curve& dense, double loss) {
  const double end = dense.points.back().x;
  Curve curve = dense;
  for (Point& point : curve.points) point.x *= end / (end - delay(dense, loss));
  return ending(curve, end, dense.points.back().value - loss);
}

Curve by_progress(const Curve& dense, double loss) {
  return lowered(dense, loss);
}

TEST(OwnTrainings, ArePredictedByTheirLossAlone) {
  const std::vector<Row> rows = rows_by(&by_progress);
  const std::vector<double> errors = errors_of(rows);
  EXPECT_EQ(rows.size(), 150U);
  EXPECT_EQ(errors.size(), 103U);
  EXPECT_LE(std::exp(quantile(errors, 0.5)) - 1, 0.05);
  const auto right = std::count_if(rows.begin(), rows.end(), [](const Row& row) {
    return row.trained.has_value() == row.predicted.has_value();
  });
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(rows.size()));
}

/// Of both tasks the one that a form predicts worse: a form that is good on one of them only, as
/// one shifted in time is, is none to go by.
TEST(OwnTrainings, ArePredictedWorseByOtherForms) {
  const double chosen = worse_median(&by_progress);
  for (const Form& other :
       {Form(&lowered_with_epochs), Form(&lowered_all_along), Form(&shifted), Form(&stretched)}) {
    EXPECT_GT(worse_median(other), chosen);
  }
}

/// Share of the rows that arrive and lie within the quantile of those that `is_judged_by` picks.
double share_inside(const std::vector<Row>& rows,
                    const std::function<bool(const Row& judged, const Row& by)>& is_judged_by) {
  double inside = 0;
  double all = 0;
  for (const Row& judged : rows) {
    if (!judged.arrives()) continue;
    std::vector<double> others;
    for (const Row& by : rows) {
      if (by.arrives() && is_judged_by(judged, by)) others.push_back(by.error());
    }
    inside += judged.error() <= quantile(others, 0.95) ? 1 : 0;
    all += 1;
  }
  return inside / all;
}

/// The interval is never that of the rows it is held against: those of other schemes, or of the
/// other task.
TEST(OwnTrainings, LieInIntervalsOfTheOthers) {
  const std::vector<Row> rows = rows_by(&by_progress);
  const auto is_right = AllOf(Ge(0.90), Le(0.98));
  EXPECT_THAT(share_inside(rows,
                           [](const Row& judged, const Row& by) {
                             return by.task != judged.task || by.scheme != judged.scheme;
                           }),
              is_right);
  EXPECT_THAT(
      share_inside(rows, [](const Row& judged, const Row& by) { return by.task != judged.task; }),
      is_right);
}

TEST(OwnTrainings, AreOffByWhatPredictionsSay) {
  EXPECT_NEAR(quantile(errors_of(rows_by(&by_progress)), 0.95), kLossFormError, 0.005);
}

}  // namespace
}  // namespace stcsim::curves
