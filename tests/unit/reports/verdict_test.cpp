// What stands under a published figure: how far off ours is, and what that is called.
#include "reports/evidence/verdict.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/config/experiment_config.hpp"

namespace stcsim {
namespace {

constexpr double kTenth = 0.1;
constexpr Quantity kGain = Quantity::step_gain;
constexpr Quantity kSaved = Quantity::step_saved;
constexpr Quantity kShare = Quantity::share;
constexpr Quantity kPoints = Quantity::accuracy_difference;

PaperAnswer paper_answer(double value, double low, double high) {
  PaperAnswer answer;
  answer.value = value;
  answer.low = low;
  answer.high = high;
  return answer;
}
PaperAnswer paper_answer(double value) {
  return paper_answer(value, value, value);
}

std::string measured_verdict(const PublishedFigure& published, Quantity quantity, double tolerance,
                             const PaperAnswer& answer) {
  return verdict_of(VerdictKind::measured, published, quantity, tolerance, answer);
}

/// One list has them all, each with a name of its own in its scope.
TEST(Quantities, HaveOneListOfNames) {
  std::set<std::pair<Scope, std::string_view>> names;
  for (auto i = static_cast<int>(Quantity::none);
       i <= static_cast<int>(Quantity::accuracy_difference); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const QuantityInfo& info = info_of(quantity);
    EXPECT_EQ(info.quantity, quantity);
    EXPECT_TRUE(names.emplace(info.scope, info.name).second) << info.name;
    EXPECT_EQ(info.title.empty(), quantity == Quantity::none) << info.name;
    EXPECT_TRUE(info.unit != PaperUnit::ratio || info.neutral == 1) << info.name;
  }
}

TEST(PaperVerdict, DeviationIsOfTheNearerEnd) {
  EXPECT_DOUBLE_EQ(deviation_of({1.3, 1.5}, PaperUnit::ratio, 1.3), 0);
  EXPECT_DOUBLE_EQ(deviation_of({1.3, 1.5}, PaperUnit::ratio, 1.5), 0);
  EXPECT_DOUBLE_EQ(deviation_of({1.25, 1.5}, PaperUnit::ratio, 1), -0.2);
  EXPECT_DOUBLE_EQ(deviation_of({1.25, 1.5}, PaperUnit::ratio, 3), 1);
  EXPECT_DOUBLE_EQ(deviation_of({-0.5, -0.25}, PaperUnit::points, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(deviation_of({-0.5, -0.25}, PaperUnit::percent, 0.25), 2);
  EXPECT_DOUBLE_EQ(deviation_of({0, 0}, PaperUnit::percent, 2), 2) << "nothing to divide by";
}

TEST(PaperVerdict, IsReproducedWithinItsTolerance) {
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, kTenth, paper_answer(1.36)), kReproduced);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, kTenth, paper_answer(1.34)), kDirectionOnly);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, kTenth, paper_answer(1.64)), kReproduced);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, kTenth, paper_answer(1.66)), kDirectionOnly);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, 0, paper_answer(1.5)), kReproduced);
  EXPECT_EQ(measured_verdict({0.99, 0.99}, kGain, 0.02, paper_answer(0.98)), kReproduced);
  EXPECT_EQ(measured_verdict({-0.3, -0.3}, kPoints, kTenth, paper_answer(-0.25)), kReproduced);
  EXPECT_EQ(measured_verdict({-0.3, -0.3}, kPoints, kTenth, paper_answer(-0.15)), kDirectionOnly);
}

TEST(PaperVerdict, MeetsWithWhereItLies) {
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, 0, paper_answer(1.3, 1.1, 1.5)), kReproduced);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, 0, paper_answer(1.7, 1.51, 2)), kDirectionOnly);
}

TEST(PaperVerdict, CannotBeToldApartWhereNoEffectIsAsLikely) {
  EXPECT_EQ(measured_verdict({1.1, 1.1}, kGain, 0, paper_answer(1.05, 1, 1.1)), kNotToldApart);
  EXPECT_EQ(measured_verdict({1.1, 1.1}, kGain, 0, paper_answer(1.05, 1.01, 1.1)), kReproduced);
  EXPECT_EQ(measured_verdict({1, 1.1}, kGain, 0, paper_answer(1.05, 0.9, 1.1)), kReproduced)
      << "the paper says as much";
  EXPECT_EQ(measured_verdict({1.06, 1.06}, kGain, kTenth, paper_answer(1)), kNotToldApart)
      << "the tolerance holds no effect too";
  EXPECT_EQ(measured_verdict({1.06, 1.06}, kGain, kTenth, paper_answer(0.97)), kNotToldApart);
  EXPECT_EQ(measured_verdict({0.95, 0.95}, kGain, kTenth, paper_answer(1.02)), kNotToldApart);
  EXPECT_EQ(measured_verdict({0.95, 0.95}, kGain, kTenth, paper_answer(0.98)), kReproduced);
  EXPECT_EQ(measured_verdict({10, 20}, kShare, 0, paper_answer(12, 0, 30)), kReproduced)
      << "a share has no side";
}

TEST(PaperVerdict, HasADirectionWhereThereIsOne) {
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, 0, paper_answer(0.99)), kNotReproduced);
  EXPECT_EQ(measured_verdict({1.5, 1.5}, kGain, 0, paper_answer(1)), kNotReproduced);
  EXPECT_EQ(measured_verdict({0.9, 0.9}, kGain, 0, paper_answer(0.7)), kDirectionOnly);
  EXPECT_EQ(measured_verdict({15, 25}, kSaved, 0, paper_answer(3)), kDirectionOnly);
  EXPECT_EQ(measured_verdict({15, 25}, kSaved, 0, paper_answer(-3)), kNotReproduced);
  EXPECT_EQ(measured_verdict({15, 25}, kSaved, 0, paper_answer(0.1, -2, 2)), kNotReproduced)
      << "no effect is as likely";
  EXPECT_EQ(measured_verdict({15, 25}, kShare, 0, paper_answer(3)), kNotReproduced);
  EXPECT_EQ(measured_verdict({-1, 1}, kPoints, 0, paper_answer(2)), kNotReproduced)
      << "no effect is in the published range";
}

TEST(PaperVerdict, ArithmeticIsConsistentOrNot) {
  const auto verdict = [](double ours) {
    return verdict_of(VerdictKind::arithmetic, {1.5, 1.5}, kGain, kTenth, paper_answer(ours));
  };
  EXPECT_EQ(verdict(1.6), kConsistent);
  EXPECT_EQ(verdict(1.7), kNotConsistent);
}

TEST(PaperVerdict, WhatWasFittedIsNoTest) {
  EXPECT_EQ(verdict_of(VerdictKind::fitted, {1.5, 1.5}, kGain, kTenth, paper_answer(1.5)), kNoTest);
}

/// Another network's training has a direction, where chance alone does not make it.
TEST(PaperVerdict, OwnTrainingIsAHint) {
  const auto hint = [](double published, double ours, std::optional<double> p) {
    PaperAnswer answer = paper_answer(ours);
    answer.p_value = p;
    return verdict_of(VerdictKind::training, {published, published}, kPoints, 0.4, answer);
  };
  EXPECT_EQ(hint(-0.1, -3, 0.049), kSameDirection);
  EXPECT_EQ(hint(-0.1, 0.05, 0.01), kOtherDirection) << "however near";
  EXPECT_EQ(hint(-0.1, -0.1, 0.05), kNoDirection) << "by chance";
  EXPECT_EQ(hint(-0.1, -0.1, std::nullopt), kNoDirection);
  EXPECT_EQ(hint(0, -3, 0.01), kNoDirection) << "none was published";
}

/// What a simulation on a machine is worth beside a figure.
TEST(PaperVerdict, KindsFollowFromHowAFigureWasObtained) {
  const auto kind = [](const char* obtained, MachineSort machine) {
    return simulated_kind(obtained, machine, false);
  };
  EXPECT_EQ(kind("measured", MachineSort::built), VerdictKind::measured);
  EXPECT_EQ(kind("measured", MachineSort::hypothetical), std::nullopt) << "nobody can measure it";
  EXPECT_EQ(kind("measured", MachineSort::counting), std::nullopt);
  for (const char* const obtained : {"estimated", "counted", "proved", "simulated"}) {
    EXPECT_EQ(kind(obtained, MachineSort::built), VerdictKind::estimated) << obtained;
    EXPECT_EQ(kind(obtained, MachineSort::hypothetical), VerdictKind::estimated) << obtained;
    EXPECT_EQ(kind(obtained, MachineSort::counting), VerdictKind::arithmetic) << obtained;
  }
  EXPECT_EQ(kind("derived", MachineSort::counting), VerdictKind::arithmetic);
  EXPECT_EQ(kind("derived", MachineSort::built), std::nullopt) << "nobody claims it";
  EXPECT_EQ(simulated_kind("measured", MachineSort::built, true), VerdictKind::fitted);
  EXPECT_EQ(simulated_kind("measured", MachineSort::counting, true), std::nullopt);
}

TEST(PaperVerdict, MachinesAreBuiltOrNot) {
  const auto sort = [](const char* machine) { return sort_of(load_machine(machine).config); };
  for (const char* const built : {"a100", "a100_80gb", "h100_sxm", "rtx3090", "rtx4090"}) {
    EXPECT_EQ(sort(built), MachineSort::built) << built;
  }
  for (const char* const imagined : {"a100_nm", "a100_nm8", "a100_nm8_naive", "h100_nm8_naive"}) {
    EXPECT_EQ(sort(imagined), MachineSort::hypothetical) << imagined;
  }
  EXPECT_EQ(sort("ideal"), MachineSort::counting);
}

TEST(PaperVerdict, IsShortOfWhatWasPublishedUnlessItMeetsIt) {
  for (const char* const met : {kReproduced, kConsistent, kNoTest, kSameDirection}) {
    EXPECT_FALSE(is_short_of(met)) << met;
  }
  for (const char* const missed : {kDirectionOnly, kNotToldApart, kNotReproduced, kNotConsistent,
                                   kOtherDirection, kNoDirection}) {
    EXPECT_TRUE(is_short_of(missed)) << missed;
  }
}

/// Kinds in their order, columns as they come, verdicts in theirs; kinds are never added.
TEST(VerdictTallyTest, HasALineForEachKindAndColumn) {
  VerdictTally tally;
  tally.add(VerdictKind::arithmetic, "counted", kConsistent);
  tally.add(VerdictKind::measured, "B", kNotReproduced);
  tally.add(VerdictKind::measured, "A", kDirectionOnly);
  tally.add(VerdictKind::measured, "B", kReproduced);
  tally.add(VerdictKind::measured, "B", kNotReproduced);
  tally.add(VerdictKind::fitted, "A", kNoTest);
  EXPECT_THAT(tally.lines(),
              ::testing::ElementsAre("against measured, B: 1 reproduced, 2 not reproduced",
                                     "against measured, A: 1 direction only",
                                     "arithmetic, counted: 1 consistent", "fitted, A: 1 no test"));
  const auto json = tally.to_json();
  ASSERT_EQ(json.size(), 5U);
  EXPECT_EQ(json[1].dump(),
            R"({"kind":"against measured","column":"B","verdict":"not reproduced","count":2})");
}

TEST(PaperFigures, ArePrintedWithTheirUnit) {
  EXPECT_EQ(format_figure(PaperUnit::ratio, 1.4444), "1.44x");
  EXPECT_EQ(format_figure(PaperUnit::percent, 33.17), "33.2 %");
  EXPECT_EQ(format_figure(PaperUnit::percent, 4.1637), "4.16 %");
  EXPECT_EQ(format_figure(PaperUnit::percent, -12.345), "-12.3 %");
  EXPECT_EQ(format_figure(PaperUnit::points, -0.125), "-0.12 points");
  EXPECT_EQ(format_figure(PaperUnit::tflops, 1900), "1900 TFLOP/s");
  EXPECT_EQ(format_figure(PaperUnit::value, 90), "90.0");
  EXPECT_EQ(format_figure(PaperUnit::cycles, 73728), "73728 cycles");
  EXPECT_EQ(format_range(PaperUnit::percent, 15, 25), "15.0 % to 25.0 %");
  EXPECT_EQ(format_range(PaperUnit::ratio, 1.5001, 1.5002), "1.50x");
}

}  // namespace
}  // namespace stcsim
