// Time to accuracy against figures worked out by hand, and what mathematics guarantees of it.
#include "curves/time_to_accuracy.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/seed.hpp"

namespace stcsim::curves {
namespace {

/// An epoch takes this many hours, and between `least` and `most` times that; against dense
/// between `fastest` and `slowest` times that.
struct Factors {
  double least = 1;
  double most = 1;
  double fastest = 1;
  double slowest = 1;
};
TimedTraining training_of(double hours, Factors factors = {}) {
  const auto course = [hours](double factor) {
    return TrainingCourse({{100, hours * 3600 * factor}});
  };
  return {course(1),
          course(factors.least),
          course(factors.most),
          course(factors.fastest),
          course(factors.slowest),
          0};
}

EpochsToTarget epochs(std::initializer_list<double> values) {
  return {values.begin(), values.end()};
}

TEST(Combined, DistancesInLogarithmsAddUpInQuadrature) {
  const auto both = combined(10, Interval{10 / std::exp(0.3), 10 * std::exp(0.03)},
                             Interval{10 / std::exp(0.4), 10 * std::exp(0.04)});
  EXPECT_DOUBLE_EQ(both->low, 10 / std::exp(0.5));
  EXPECT_DOUBLE_EQ(both->high, 10 * std::exp(0.05));
}

TEST(Combined, OneThatIsNotKnownLeavesTheOther) {
  const Interval known{1, 3};
  EXPECT_EQ(combined(2, known, std::nullopt), known);
  EXPECT_EQ(combined(2, std::nullopt, known), known);
  EXPECT_EQ(combined(2, std::nullopt, std::nullopt), std::nullopt);
}

TEST(Combined, AnIntervalBesideTheValueReachesToIt) {
  const auto both = combined(2, Interval{3, 4}, Interval{2, 2});
  EXPECT_EQ(both->low, 2);
  EXPECT_DOUBLE_EQ(both->high, 4);
}

TEST(HoursToTarget, AreThoseOfTheRunsThatReachIt) {
  const auto hours =
      hours_to_target({10.0, std::nullopt, 20.0}, training_of(0.1, {.least = 0.5, .most = 2}), 1);
  EXPECT_DOUBLE_EQ(hours->value, 1.5);
  EXPECT_DOUBLE_EQ(hours->of_curves->low, 1);  // of both draws of the first run
  EXPECT_DOUBLE_EQ(hours->of_curves->high, 2);
  EXPECT_DOUBLE_EQ(hours->of_simulation->low, 0.75);
  EXPECT_DOUBLE_EQ(hours->of_simulation->high, 3);
  EXPECT_DOUBLE_EQ(hours->interval->low, 1.5 / std::exp(std::hypot(std::log(1.5), std::log(2.0))));
  EXPECT_DOUBLE_EQ(hours->interval->high,
                   1.5 * std::exp(std::hypot(std::log(2 / 1.5), std::log(2.0))));
}

TEST(HoursToTarget, OfOneRunHaveNoInterval) {
  const auto hours = hours_to_target(epochs({10}), training_of(0.1, {.least = 0.5, .most = 2}), 1);
  EXPECT_DOUBLE_EQ(hours->value, 1);
  EXPECT_EQ(hours->of_curves, std::nullopt);
  EXPECT_EQ(hours->interval, std::nullopt);
  EXPECT_DOUBLE_EQ(hours->of_simulation->high, 2);
}

TEST(HoursToTarget, ThatIsNeverReachedAreNone) {
  EXPECT_EQ(hours_to_target({std::nullopt, std::nullopt}, training_of(0.1), 1).has_value(), false);
}

TEST(HoursToTarget, CountWhatWasTrainedBefore) {
  TimedTraining twice = training_of(0.1);
  twice.epochs_before = 90;
  EXPECT_DOUBLE_EQ(hours_to_target(epochs({10}), twice, 1)->value, 10);
}

TEST(SpeedupToTarget, OfRunsThatLieApartIsFaster) {
  const TimedTraining dense = training_of(0.1);
  const TimedTraining sparse = training_of(0.05, {.fastest = 0.8, .slowest = 1.25});
  const auto found =
      speedup_to_target({epochs({20, 21, 22, 23}), dense}, {epochs({20, 21, 22, 23}), sparse}, 1);
  EXPECT_DOUBLE_EQ(found.speedup->value, 2);
  EXPECT_DOUBLE_EQ(found.speedup->of_simulation->low, 1.6);
  EXPECT_DOUBLE_EQ(found.speedup->of_simulation->high, 2.5);
  EXPECT_DOUBLE_EQ(found.difference->p_value, 2.0 / 70);
  EXPECT_EQ(found.verdict, Verdict::faster);
  const auto reversed =
      speedup_to_target({epochs({20, 21, 22, 23}), sparse}, {epochs({20, 21, 22, 23}), dense}, 1);
  EXPECT_EQ(reversed.verdict, Verdict::slower);
}

TEST(SpeedupToTarget, OfEqualTrainingsIsOneAndTheyCannotBeToldApart) {
  const TimedTraining training = training_of(0.1, {.fastest = 0.9, .slowest = 1.1});
  const EpochsToTarget runs = epochs({10, 12, 15, 11, 13, 12});
  const auto found = speedup_to_target({runs, training}, {runs, training}, 1);
  EXPECT_EQ(found.speedup->value, 1);
  EXPECT_LT(found.speedup->interval->low, 1);
  EXPECT_GT(found.speedup->interval->high, 1);
  EXPECT_EQ(found.difference->p_value, 1);
  EXPECT_EQ(found.verdict, Verdict::not_told_apart);
}

TEST(SpeedupToTarget, WithinTheErrorOfTheSimulationIsNotToldApart) {
  const auto found = speedup_to_target(
      {epochs({20, 20, 20, 20}), training_of(0.1)},
      {epochs({19, 19, 19, 19}), training_of(0.1, {.fastest = 0.9, .slowest = 1.1})}, 1);
  EXPECT_LT(found.difference->p_value, 0.05);
  EXPECT_EQ(found.verdict, Verdict::not_told_apart);
}

TEST(SpeedupToTarget, OfThreeAgainstThreeIsNeverToldApart) {
  const auto found = speedup_to_target({epochs({20, 21, 22}), training_of(0.1)},
                                       {epochs({1, 2, 3}), training_of(0.1)}, 1);
  EXPECT_EQ(found.verdict, Verdict::not_told_apart);
  EXPECT_DOUBLE_EQ(found.difference->least_p, 0.1);
}

TEST(SpeedupToTarget, OfOneRunSaysSo) {
  const auto found = speedup_to_target({epochs({20, 21, 22, 23}), training_of(0.1)},
                                       {epochs({10}), training_of(0.1)}, 1);
  EXPECT_DOUBLE_EQ(found.speedup->value, 2.15);
  EXPECT_EQ(found.speedup->interval, std::nullopt);
  EXPECT_EQ(found.verdict, Verdict::one_run);
}

TEST(SpeedupToTarget, OfWhatIsNeverReachedIsNone) {
  const TimedTraining training = training_of(0.1);
  const EpochsToTarget never{std::nullopt, std::nullopt};
  const auto found = speedup_to_target({epochs({20, 21}), training}, {never, training}, 1);
  EXPECT_EQ(found.speedup.has_value(), false);
  EXPECT_EQ(found.verdict, Verdict::not_reached);
  const auto reversed = speedup_to_target({never, training}, {epochs({20, 21}), training}, 1);
  EXPECT_EQ(reversed.verdict, Verdict::dense_not_reached);
}

/// Runs of 10 and 30 epochs of 0.2 h, each twice as long at 0.05 h an epoch.
TEST(SpeedupOfPredicted, HasTheIntervalsOfTheFactorAndTheSimulation) {
  const TimedTraining dense = training_of(0.2);
  const EpochsToTarget runs{10.0, std::nullopt, 30.0};
  const EpochsToTarget own{20.0, std::nullopt, 60.0};
  auto found = speedup_of_predicted({runs, dense}, {own, training_of(0.05)}, {0.9, 1.25});
  EXPECT_DOUBLE_EQ(found.speedup->value, 2);
  EXPECT_DOUBLE_EQ(found.speedup->interval->low, 2 / 1.25);
  EXPECT_DOUBLE_EQ(found.speedup->interval->high, 2 / 0.9);
  EXPECT_EQ(found.verdict, Verdict::faster);
  EXPECT_FALSE(found.difference);
  found = speedup_of_predicted({runs, dense},
                               {own, training_of(0.05, {.fastest = 0.5, .slowest = 2})}, {1, 1});
  EXPECT_DOUBLE_EQ(found.speedup->interval->low, 1);
  EXPECT_DOUBLE_EQ(found.speedup->interval->high, 4);
  EXPECT_EQ(found.verdict, Verdict::not_told_apart);
}

TEST(SpeedupOfPredicted, MayBeNone) {
  const TimedTraining training = training_of(0.1);
  const EpochsToTarget runs{10.0};
  const EpochsToTarget never{std::nullopt};
  const double infinite = std::numeric_limits<double>::infinity();
  const auto found = speedup_of_predicted({runs, training}, {runs, training}, {0.9, infinite});
  EXPECT_EQ(found.speedup->interval->low, 0);
  EXPECT_EQ(found.verdict, Verdict::not_told_apart);
  EXPECT_EQ(speedup_of_predicted({runs, training}, {never, training}, {1, 1}).verdict,
            Verdict::not_reached);
  EXPECT_EQ(speedup_of_predicted({never, training}, {runs, training}, {1, 1}).verdict,
            Verdict::dense_not_reached);
}

TEST(WithinBudget, CountsWhatWasMeasuredInTime) {
  const std::vector<std::vector<Point>> curves{
      {{10, 50}, {20, 70}, {30, 90}}, {{10, 40}, {20, 95}, {30, 96}}, {{25, 99}}};
  const EpochsToTarget runs{30.0, 20.0, 25.0};
  const WithinBudget found = within_budget(curves, runs, training_of(0.1), 2, 1);
  EXPECT_EQ(found.runs, 3U);
  EXPECT_EQ(found.reached, 1U);
  EXPECT_EQ(found.value->count, 2U);
  EXPECT_DOUBLE_EQ(found.value->mean, 82.5);
  EXPECT_EQ(within_budget(curves, runs, training_of(0.1), 0.99, 1).value.has_value(), false);
}

TEST(ParetoFront, IsWhatNothingBeats) {
  const std::vector<TimedValue> points{{3, 70, 0}, {1, 50, 0}, {2, 60, 1}, {2, 55, 0}, {4, 70, 1}};
  EXPECT_EQ(pareto_front(points, false),
            (std::vector<TimedValue>{{1, 50, 0}, {2, 60, 1}, {3, 70, 0}}));
  EXPECT_EQ(pareto_front(points, true), (std::vector<TimedValue>{{1, 50, 0}}));
}

TEST(ParetoFront, KeepsEqualPoints) {
  const std::vector<TimedValue> equal{{1, 50, 0}, {1, 50, 1}};
  EXPECT_EQ(pareto_front(equal, false), equal);
  EXPECT_EQ(is_beaten(equal[0], equal, false), false);
}

TEST(ParetoFront, APointIsBeatenByOthersOnly) {
  const std::vector<TimedValue> points{{1, 60, 0}, {2, 50, 0}, {1, 55, 1}};
  EXPECT_EQ(is_beaten(points[1], points, false), true);
  EXPECT_EQ(is_beaten({2, 50, 1}, {points[2]}, false), false);
  EXPECT_EQ(is_beaten({2, 50, 1}, points, true), false);
}

TEST(MeanCurve, IsOfTheRunsThatHaveBegunAndNotEnded) {
  const auto means = mean_curve({{{1, 10}, {3, 30}}, {{2, 40}, {3, 50}, {4, 60}}});
  ASSERT_EQ(means.size(), 4U);
  EXPECT_EQ(means[0].mean, 10);
  EXPECT_EQ(means[0].runs, 1U);
  EXPECT_EQ(means[1].mean, 30);  // 20 on the first line, 40
  EXPECT_EQ(means[1].least, 20);
  EXPECT_EQ(means[1].most, 40);
  EXPECT_EQ(means[2].mean, 40);
  EXPECT_EQ(means[2].runs, 2U);
  EXPECT_EQ(means[3].mean, 60);
  EXPECT_EQ(means[3].runs, 1U);
}

/// Longer steps never get there sooner, nor with a larger speedup; an interval holds its figure.
TEST(TimeToAccuracy, IsMonotoneInTheTimeOfAStep) {
  const std::uint64_t seed = test::seed_or(20221);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> random(0.1, 10);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("STCSIM_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    std::vector<Stretch> stretches;
    for (int at = 0; at < 3; ++at) stretches.push_back({random(engine), random(engine)});
    std::vector<Stretch> longer = stretches;
    longer[engine() % 3].s_per_epoch += random(engine);
    EpochsToTarget runs;
    for (int run = 0; run < 5; ++run) runs.emplace_back(3 * random(engine));
    const auto timed = [](const std::vector<Stretch>& of) {
      const TrainingCourse course(of);
      return TimedTraining{course, course, course, course, course, 0};
    };
    const auto sooner = hours_to_target(runs, timed(stretches), 1);
    const auto later = hours_to_target(runs, timed(longer), 1);
    EXPECT_LE(sooner->value, later->value);
    EXPECT_LE(sooner->interval->low, sooner->value);
    EXPECT_GE(sooner->interval->high, sooner->value);
    const TimedRuns dense{runs, timed(stretches)};
    const TimedTraining slow = timed(longer);
    const auto found = speedup_to_target(dense, {runs, slow}, 1);
    EXPECT_LE(found.speedup->value, 1);
    EXPECT_NE(found.verdict, Verdict::faster);
    EXPECT_GE(within_budget({}, runs, timed(stretches), 0.01, 1).reached,
              within_budget({}, runs, timed(longer), 0.01, 1).reached);
  }
}

}  // namespace
}  // namespace stcsim::curves
