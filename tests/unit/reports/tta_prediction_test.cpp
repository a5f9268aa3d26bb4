#include <cmath>

#include <gtest/gtest.h>

#include "reports/tta/tta_evidence.hpp"

namespace stcsim {
namespace {

/// Two runs that measured 80 after 20 and 40 epochs, and 90 after 40; their mean curve has 80 at
/// 20 on the straight line from 10 to 40.
TtaCurves two_runs() {
  TtaCurves curves;
  curves.scheme = "dense";
  curves.mean = {{10, 2, 70, 70, 70}, {40, 2, 100, 100, 100}};
  for (const double first : {20.0, 40.0}) {
    curves::RunFigures run;
    run.first_crossing = first;
    run.last_x = 40;
    curves.figures.runs.push_back(run);
    curves.to_target.emplace_back(first);
  }
  return curves;
}

TtaQuestion question(double target) {
  TtaQuestion asked;
  asked.curves.target = target;
  return asked;
}

TEST(PredictedRuns, AreSoManyTimesAsLongButNeverLongerThanTheRun) {
  const curves::PredictedCrossing crossing{30, 24, 36, 95, {94, 96}};
  const PredictedRuns runs = predicted_runs(two_runs(), question(80), crossing);
  EXPECT_EQ(runs.to_target[0], 20 * 1.5);
  EXPECT_EQ(runs.to_target[1], 40);
  EXPECT_EQ(runs.factor, (curves::Interval{0.8, 1.2}));
}

TEST(PredictedRuns, MayNeverEnd) {
  const curves::PredictedCrossing crossing{30, 24, std::nullopt, 95, {70, 96}};
  EXPECT_TRUE(std::isinf(predicted_runs(two_runs(), question(80), crossing).factor.high));
}

/// A scheme that ends above dense reaches what dense does not.
TEST(PredictedRuns, MayEndAboveTheOther) {
  const curves::PredictedCrossing crossing{38, 37, 40, 102, {101, 103}};
  EXPECT_EQ(predicted_runs(two_runs(), question(101), crossing).to_target[0], 38);
}

TEST(PredictedRuns, AreNoneBelowTheTarget) {
  const curves::PredictedCrossing crossing{{}, 39, {}, 89, {88, 91}};
  const PredictedRuns runs = predicted_runs(two_runs(), question(90), crossing);
  EXPECT_FALSE(runs.to_target[0] || runs.to_target[1]);
}

}  // namespace
}  // namespace stcsim
