#include "reports/tta/tta_report.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "reports/tta/tta_evidence.hpp"
#include "reports/tta/tta_summary.hpp"

namespace stcsim {
namespace {

Scheme sdgp(const std::string& name, Pattern pattern) {
  Scheme scheme;
  scheme.name = name;
  scheme.phases[1].sparsity = PhaseSparsity{
      .tensor = Tensor::output_gradient, .pattern = pattern, .prune = "rescaled-magnitude"};
  return scheme;
}

curves::PublishedFinal row_of(const std::string& scheme, const std::string& pattern,
                              double sparse) {
  curves::PublishedFinal row;
  row.scheme = scheme;
  row.config = "sdgp";
  row.network_config = "resnet9_cifar10";
  row.pattern = pattern;
  row.sparse = sparse;
  return row;
}

const std::vector<curves::PublishedFinal> kRows{
    row_of("SDGP random", "2:4", 94.5), row_of("SDGP rescaled magnitude", "2:4", 95.2),
    row_of("SDGP magnitude", "2:4", 95.1), row_of("SDGP rescaled magnitude", "4:32", 94.9)};

TEST(PublishedOf, IsTheRowThatPrunesAsTheSchemeDoes) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp", {2, 4}), "resnet9_cifar10", "top-1")->sparse, 95.2);
}

TEST(PublishedOf, AnotherPatternIsAnotherRow) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp-4:32", {4, 32}), "resnet9_cifar10", "top-1")->sparse,
            94.9);
  EXPECT_EQ(published_of(kRows, sdgp("sdgp-1:8", {1, 8}), "resnet9_cifar10", "top-1").has_value(),
            false);
}

TEST(PublishedOf, OfAnotherNetworkOrSchemeIsNone) {
  EXPECT_EQ(published_of(kRows, sdgp("sdgp", {2, 4}), "resnet18", "top-1").has_value(), false);
  EXPECT_EQ(published_of(kRows, sdgp("mine", {2, 4}), "resnet9_cifar10", "top-1").has_value(),
            false);
  EXPECT_EQ(published_of(kRows, Scheme{}, "resnet9_cifar10", "top-1").has_value(), false);
}

/// Of two rows of BERT-Large the one in the curve's metric, whatever the length of its sequences.
TEST(PublishedOf, IsTheRowInTheMetricOfTheCurveOfAnyInputSize) {
  std::vector<curves::PublishedFinal> rows{kRows[0], kRows[1]};
  for (curves::PublishedFinal& row : rows) {
    row.network_config = "bert_large_s384";
    row.metric = "GLUE average";
    row.dense = 96;
  }
  rows[0].metric = "SQuAD F1";
  const auto of = [&](const std::string& metric) {
    return published_of(rows, sdgp("sdgp", {2, 4}), "bert_large_pretraining_s512", metric)->sparse;
  };
  EXPECT_EQ(of("SQuAD F1"), 94.5);
  EXPECT_EQ(of("GLUE average"), 95.2);
  EXPECT_EQ(published_of_others(rows, {sdgp("sdgp", {2, 4})}, "bert_large_s128", "F1").size(), 0);
  EXPECT_EQ(published_of_others(rows, {sdgp("mine", {2, 4})}, "bert_large_s128", "F1").front(),
            "SDGP random, 2:4: published final SQuAD F1 94.5, dense 96 ()");
}

TEST(EvidenceOf, SaysWhatIsNotKnown) {
  TtaConfig config;
  config.trainings.push_back({.scheme = "mine"});
  TtaResult result;
  result.scheme = "mine";
  result.against = "dense";
  EXPECT_EQ(evidence_of(result, config, true),
            "nothing published for this network; epochs unknown");
  EXPECT_EQ(evidence_of(result, config, false), "nothing published for this network; no curve");
  config.trainings[0].evidence = "told so";
  EXPECT_EQ(evidence_of(result, config, false), "told so; no curve");
  result.published.emplace().metric = "perplexity";
  result.published->dense = 20;
  EXPECT_EQ(evidence_of(result, config, false),
            "published final perplexity not published, dense 20 (); told so; no curve");
  result.published->sparse = 22;
  EXPECT_EQ(evidence_of(result, config, false),
            "published final perplexity 22, dense 20: +0.095 nats (); told so; no curve");
}

TEST(FormatHours, ChoosesTheUnit) {
  EXPECT_EQ(format_hours(9.314), "9.31 h");
  EXPECT_EQ(format_hours(1), "1.00 h");
  EXPECT_EQ(format_hours(0.5), "30.0 min");
  EXPECT_EQ(format_hours(12.5 / 3600), "12.5 s");
}

TEST(FormatHours, OfARangeAreInTheUnitOfItsLowerEnd) {
  EXPECT_EQ(format_hours_range({0.5, 0.75}), "30.0..45.0 min");
  EXPECT_EQ(format_hours_range({0.5, 1.25}), "30.0..75.0 min");
  EXPECT_EQ(format_hours_range({2, 3}), "2.00..3.00 h");
}

TEST(FormatApart, SaysWhereRunsAreTooFew) {
  EXPECT_EQ(format_apart({.p_value = 0.04, .least_p = 0.01}), "they differ");
  EXPECT_EQ(format_apart({.p_value = 0.05, .least_p = 0.01}), "cannot be told apart");
  EXPECT_EQ(format_apart({.p_value = 0.1, .least_p = 0.1}), "too few runs");
}

TEST(FormatTraining, ShortensLargeNumbers) {
  EXPECT_EQ(format_training(34.875), "34.88");
  EXPECT_EQ(format_training(2665600), "2.67 M");
  EXPECT_EQ(format_training(12345), "12,345");
}

TtaResult result_of(const std::string& machine, const std::string& scheme) {
  TtaResult result;
  result.machine = machine;
  result.scheme = scheme;
  return result;
}

/// Curves are the same on every machine, and so are their final values; hours are not.
TEST(CountOfTests, FinalValuesAreComparedOnce) {
  TtaSummary summary;
  for (const char* const machine : {"a100", "h100"}) {
    for (const char* const scheme : {"sdgp", "fst"}) {
      summary.results.push_back(result_of(machine, scheme));
      summary.results.back().final_difference = curves::Difference{};
    }
  }
  EXPECT_EQ(count_of_tests(summary), 2U);
  for (TtaResult& result : summary.results) result.compared.difference = curves::Difference{};
  EXPECT_EQ(count_of_tests(summary), 2U + 4U);
  summary.orderings.resize(1);
  EXPECT_EQ(count_of_tests(summary), 2U + 4U + 1U);
}

/// One run ends early at 90, the other at 50 later: the mean curve ends at 50, the final values
/// have a mean of 70.
TEST(Front, HasASchemeByTheMeanOfItsFinalValues) {
  TtaCurves uneven;
  uneven.figures.final_value.mean = 70;
  TtaCurves even;
  even.figures.final_value.mean = 60;
  TtaSummary summary;
  summary.results.push_back(result_of("a100", "uneven"));
  summary.results[0].curves = &uneven;
  summary.results[0].points = {{1, 55, 0}, {2, 50, 0}};
  summary.results.push_back(result_of("a100", "even"));
  summary.results[1].curves = &even;
  summary.results[1].points = {{2, 60, 1}};
  add_front(summary, "a100", 0);
  EXPECT_EQ(summary.results[0].is_on_front, true);
  EXPECT_EQ(summary.results[1].is_on_front, true);
  uneven.figures.final_value.mean = 59;
  add_front(summary, "a100", 0);
  EXPECT_EQ(summary.results[0].is_on_front, false);
}

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
