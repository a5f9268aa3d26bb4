#include "reports/gemm/explain_report.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Cycles at 1 GHz.
TimesOfBoth times(std::int64_t dense, std::int64_t sparse) {
  return {{dense, 1000}, {sparse, 1000}};
}

Explanation sample() {
  Explanation of;
  of.problem.m = of.problem.n = of.problem.k = 100;
  of.problem.a_pattern = {2, 4};
  of.hardware_pattern = {2, 4};
  of.dense_kernel.name = "d";
  of.sparse_kernel.name = "s";
  of.at_peak = times(1000, 500);
  of.chain = {{"multipliers", "the multipliers", times(1100, 600)},
              {"launch", "the launch", times(1500, 1000)}};
  of.all = times(1500, 1000);
  of.counterfactuals = {
      {"launch", "the launch", "launch_cycles", true, true, times(1100, 600), times(1300, 800)},
      {kLastWave, "the last wave of CTAs", "9 SMs instead of 8", false, false, times(1500, 900)},
      {"dram", "DRAM bandwidth", "dram", true, false, times(1500, 990), times(1500, 700)},
      {kClock, "the clock", "", false, false, {}, times(1600, 500)},
      {kMultipliers, "the multipliers", "", true, false, times(1400, 500), times(1400, 500)},
      {kOtherKernels, "the choice of kernels", "all", false, false, times(1400, 800)}};
  return of;
}

TEST(ExplainReport, OneSentenceSaysWhatLimitsAndWhatWouldHelp) {
  EXPECT_EQ(explain_sentence(sample()),
            "2:4 gains 1.50, not 2; it is held back most by the launch: were that free, the gain "
            "would be 1.83x, the time 40.0 % less; twice DRAM bandwidth would give 2.14x; the last "
            "wave costs 10.0 % of its time; the fastest of all kernels gives 1.75x.");
}

TEST(ExplainReport, WhatCannotBeDoubledIsSaidAsItWasChanged) {
  Explanation of = sample();
  of.counterfactuals.erase(of.counterfactuals.begin());
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("held back most by the last wave of CTAs: with 9 SMs instead of 8, the "
                        "gain would be 1.67x, the time 10.0 % less;"));
}

/// A cause that was simulated free alone is as free as the others.
TEST(ExplainReport, ABriefExplanationSaysTheSame) {
  Explanation of = sample();
  for (Counterfactual& one : of.counterfactuals) one.doubled.reset();
  EXPECT_THAT(explain_sentence(of), HasSubstr("by the launch: were that free, the gain"));
}

/// The last wave takes half of the time, and as much of dense; without it the gain is lower. All
/// other gains are below the one of the port.
TEST(ExplainReport, TheCauseIsWhatRaisesTheGainMost) {
  Explanation of = sample();
  of.counterfactuals = {
      {kLastWave, "the last wave of CTAs", "9 SMs", false, false, times(700, 500)},
      {kMultipliers, "the multipliers", "", true, false, times(1500, 500), times(1500, 500)},
      {"fill", "the width of copies", "", true, false, times(1500, 800), times(1500, 800)},
      {"port", "the port", "", true, false, times(1800, 900), times(1750, 900)},
      {kOtherKernels, "the choice of kernels", "all", false, false, times(1500, 600)}};
  ASSERT_NE(of.verdict(), nullptr);
  EXPECT_EQ(of.verdict()->name, "port");
  EXPECT_EQ(explain_sentence(of),
            "2:4 gains 1.50, not 2; it is held back most by the port: were that free, the gain "
            "would be 2.00x, the time 10.0 % less; twice the port would give 1.94x; the last wave "
            "costs 50.0 % of its time; the fastest of all kernels gives 2.50x.");
  of.hardware_pattern = kDense;
  EXPECT_EQ(of.verdict()->name, kLastWave);
}

TEST(ExplainReport, NothingIsNamedThatRaisesTheGainByLessThanThreePerCent) {
  Explanation of = sample();
  of.counterfactuals = {
      {"dram", "DRAM bandwidth", "", true, false, times(1500, 971), times(1500, 980)},
      {kLastWave, "the last wave", "", false, false, times(1200, 800)}};
  of.counterfactuals.front().free->dense.cycles = 1499;
  EXPECT_EQ(of.verdict(), nullptr);
  EXPECT_EQ(explain_sentence(of),
            "2:4 gains 1.50, not 2; nothing by itself, were it free, would raise that by 3 % (DRAM "
            "bandwidth most, to 1.54x); the last wave costs 20.0 % of its time.");
  of.counterfactuals.front().free->dense.cycles = 1501;
  ASSERT_NE(of.verdict(), nullptr);
  of.counterfactuals.front().free = times(1300, 900);
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("not 2; nothing by itself, were it free, would raise that; the last wave"));
}

TEST(ExplainReport, ALossIsCalledSo) {
  Explanation of = sample();
  of.all.dense.cycles = 800;
  EXPECT_THAT(
      explain_sentence(of),
      HasSubstr("2:4 is slower than dense: it gains 0.800, not 2; it is held back most by"));
  of.all.dense.cycles = 999;
  EXPECT_THAT(explain_sentence(of), HasSubstr("2:4 is slower than dense: it gains 0.999, not 2;"));
  of.all.dense.cycles = 1000;
  EXPECT_THAT(explain_sentence(of), HasSubstr("2:4 gains 1.00, not 2; it is held back"));
}

TEST(ExplainReport, ADenseGemmHasNoGain) {
  Explanation of = sample();
  of.problem.a_pattern = kDense;
  of.hardware_pattern = kDense;
  of.counterfactuals[4].free = of.counterfactuals[4].doubled = times(1000, 750);
  EXPECT_EQ(explain_sentence(of),
            "It takes 2.00 times as long as its multiplications at peak rate; most time is lost to "
            "the launch: were that free, it would take 40.0 % less; twice DRAM bandwidth would "
            "save 30.0 %; the last wave costs 10.0 % of its time; the fastest of all kernels takes "
            "20.0 % less.");
  of.counterfactuals[4].free->sparse.cycles = 500;
  EXPECT_THAT(explain_sentence(of), HasSubstr("most time is lost to the multipliers: were that"));
}

TEST(ExplainReport, WhatRanDenseIsSaid) {
  Explanation of = sample();
  of.hardware_pattern = kDense;
  of.counterfactuals[4].free->sparse.cycles = 900;
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("2:4 gains nothing, for it ran dense; most time is lost to the launch"));
}

/// Every line but the last is a difference; together they are all.
TEST(ExplainReport, TheChainAddsUp) {
  const std::string text = explain_text({"a100", "best", 1410, sample(), "{}", ""}, 100);
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(where the time goes                     dense       2:4    share  gain so far   alone
-----------------------------------  --------  --------  -------  -----------  ------
multiplications at peak rate          1.00 us  0.500 us   50.0 %        2.00x       -
+ tiles and waves that are not full  0.100 us  0.100 us   10.0 %        1.83x       -
+ the launch                         0.400 us  0.400 us   40.0 %        1.50x  40.0 %
-----------------------------------  --------  --------  -------  -----------  ------
all                                   1.50 us   1.00 us  100.0 %        1.50x       -
In this order: )"));
  EXPECT_THAT(text, HasSubstr("\ncycles: dense 1,500 at 1000 MHz, 2:4 1,000 at 1000 MHz\n"));
}

/// A gain above what is multiplied less comes from the dense side, and is named so.
TEST(ExplainReport, NoGainIsComparedWithASmallerLimit) {
  Explanation of = sample();
  of.all.dense.cycles = 2000;
  EXPECT_THAT(explain_sentence(of), HasSubstr("2:4 gains 2.00, as its multiplications do;"));
  of.all.dense.cycles = 2130;
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("2:4 gains 2.13, above the 2 of its multiplications, for the dense kernel "
                        "takes 2.13 times as long as its multiplications at peak rate;"));
  of.all.dense = {1900, 800};
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("2:4 gains 2.38, above the 2 of its multiplications, for the dense GEMM is "
                        "held to 800 MHz, it runs at 1000;"));
}

TEST(ExplainReport, SaysWhatTheSelectorTakesByGates) {
  ExplainReport report{"a100", "best", 1410, sample(), "{}", ""};
  EXPECT_THAT(explain_text(report, 100), Not(HasSubstr("a selector of")));
  EXPECT_EQ(nlohmann::json::parse(explain_to_json(report))["selector_transistors_low"], nullptr);
  report.explanation.selector = TransistorRange{272, 1539};
  EXPECT_THAT(
      explain_text(report, 100),
      HasSubstr("\na selector of 2:4: 272 to 1,539 transistors a multiplier, by synthesis\n"));
  const auto json = nlohmann::json::parse(explain_to_json(report));
  EXPECT_EQ(json["selector_transistors_low"], 272);
  EXPECT_EQ(json["selector_transistors_high"], 1539);
}

TEST(ExplainReport, AsJsonAndCsv) {
  const ExplainReport report{"a100", "best", 1410, sample(), "{}", "00ff"};
  const auto json = nlohmann::json::parse(explain_to_json(report));
  EXPECT_EQ(json["schema"], "stcsim.explain/2");
  EXPECT_EQ(json["verdict"], "launch");
  EXPECT_EQ(json["answer"], explain_sentence(report.explanation));
  EXPECT_EQ(json["all"]["cycles"], 1000);
  EXPECT_EQ(json["all"]["time_us"], 1.0);
  EXPECT_EQ(json["all"]["speedup"], 1.5);
  EXPECT_EQ(json["chain"][0]["saved_alone"], nullptr);
  EXPECT_DOUBLE_EQ(json["chain"][1]["saved_alone"].get<double>(), 0.4);
  EXPECT_EQ(json["chain"].size(), 2U);
  EXPECT_EQ(json["counterfactuals"][0]["doubled"]["cycles"], 800);
  EXPECT_EQ(json["counterfactuals"][1]["doubled"], nullptr);
  const std::string csv = explain_to_csv(report);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 1 + 2 + 1 + 5 + 4);
  EXPECT_THAT(csv, HasSubstr("doubled,dram,1500,1000.0,1.5,700,1000.0,0.7,2.14"));
}

}  // namespace
}  // namespace stcsim
