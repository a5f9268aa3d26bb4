#include "reports/explain_report.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

using testing::HasSubstr;

Explanation sample() {
  Explanation of;
  of.problem.m = of.problem.n = of.problem.k = 100;
  of.problem.a_pattern = {2, 4};
  of.hardware_pattern = {2, 4};
  of.dense_kernel.name = "d";
  of.sparse_kernel.name = "s";
  of.at_peak = {1000, 500};
  of.chain = {{"multipliers", "the multipliers", {1100, 600}},
              {"launch", "the launch", {1500, 1000}}};
  of.cycles = {1500, 1000};
  of.counterfactuals = {
      {"launch", "the launch", "launch_cycles", true, CyclesOfBoth{1100, 600},
       CyclesOfBoth{1300, 800}},
      {kLastWave,
       "the last wave of CTAs",
       "9 SMs instead of 8",
       false,
       CyclesOfBoth{1500, 900},
       {}},
      {"dram", "DRAM bandwidth", "dram.bytes_per_clk", false, CyclesOfBoth{1500, 990},
       CyclesOfBoth{1500, 700}},
      {kClock, "the clock", "", false, {}, CyclesOfBoth{800, 500}},
      {kOtherKernels, "the choice of kernels", "all", false, CyclesOfBoth{1400, 800}, {}}};
  return of;
}

TEST(ExplainReport, OneSentenceSaysWhatLimitsAndWhatWouldHelp) {
  EXPECT_EQ(explain_sentence(sample()),
            "2:4 gains 1.50, not 2; most is lost to the launch: were it free, it would take 40.0 % "
            "less time and gain 1.83x; twice DRAM bandwidth would give 2.14x; the last wave costs "
            "10.0 %; the fastest of all kernels gives 1.75x.");
}

TEST(ExplainReport, WhatCannotBeDoubledIsSaidAsItWasChanged) {
  Explanation of = sample();
  of.counterfactuals.erase(of.counterfactuals.begin());
  EXPECT_THAT(explain_sentence(of),
              HasSubstr("most is lost to the last wave of CTAs: with 9 SMs instead of 8, it would "
                        "take 10.0 % less time and gain 1.67x;"));
}

TEST(ExplainReport, NothingIsNamedThatSavesLessThanThreePerCent) {
  Explanation of = sample();
  of.counterfactuals = {
      {"dram", "DRAM bandwidth", "", false, CyclesOfBoth{1500, 971}, CyclesOfBoth{1500, 980}}};
  EXPECT_EQ(of.verdict(), nullptr);
  EXPECT_EQ(explain_sentence(of),
            "2:4 gains 1.50, not 2; nothing by itself costs 3 % of the time or more.");
  of.counterfactuals.front().free->sparse = 970;
  ASSERT_NE(of.verdict(), nullptr);
}

TEST(ExplainReport, ADenseGemmHasNoGain) {
  Explanation of = sample();
  of.problem.a_pattern = kDense;
  of.hardware_pattern = kDense;
  EXPECT_EQ(explain_sentence(of),
            "It takes 2.00 times as long as its multiplications at peak rate; most is lost to the "
            "launch: were it free, it would take 40.0 % less time; twice DRAM bandwidth would save "
            "30.0 %; the last wave costs 10.0 %; the fastest of all kernels takes 20.0 % less.");
}

TEST(ExplainReport, WhatRanDenseIsSaid) {
  Explanation of = sample();
  of.hardware_pattern = kDense;
  EXPECT_THAT(explain_sentence(of), HasSubstr("2:4 gains nothing, for it ran dense; most is"));
}

/// Every line but the last is a difference; together they are all.
TEST(ExplainReport, TheChainAddsUp) {
  const std::string text = explain_text({"a100", "best", 1410, sample(), "{}", ""}, 100);
  EXPECT_THAT(text,
              HasSubstr(R"(where the cycles go                  dense    2:4   of all  gain so far
-----------------------------------  -----  -----  -------  -----------
multiplications at peak rate         1,000    500   50.0 %        2.00x
+ tiles and waves that are not full    100    100   10.0 %        1.83x
+ the launch                           400    400   40.0 %        1.50x
-----------------------------------  -----  -----  -------  -----------
all                                  1,500  1,000  100.0 %        1.50x
)"));
}

TEST(ExplainReport, AsJsonAndCsv) {
  const ExplainReport report{"a100", "best", 1410, sample(), "{}", "00ff"};
  const auto json = nlohmann::json::parse(explain_to_json(report));
  EXPECT_EQ(json["schema"], "stcsim.explain/1");
  EXPECT_EQ(json["verdict"], "launch");
  EXPECT_EQ(json["answer"], explain_sentence(report.explanation));
  EXPECT_EQ(json["all"]["cycles"], 1000);
  EXPECT_EQ(json["chain"].size(), 2U);
  EXPECT_EQ(json["counterfactuals"][0]["doubled"]["cycles"], 800);
  EXPECT_EQ(json["counterfactuals"][1]["doubled"], nullptr);
  const std::string csv = explain_to_csv(report);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 1 + 2 + 1 + 4 + 3);
  EXPECT_THAT(csv, HasSubstr("doubled,dram,1500,700,2.14"));
}

}  // namespace
}  // namespace stcsim
