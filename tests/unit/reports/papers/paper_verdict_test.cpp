// What stands under a published figure: how far off ours is, and what that is called.
#include "reports/papers/paper_verdict.hpp"

#include <gtest/gtest.h>

namespace stcsim {
namespace {

constexpr double kTenth = 0.1;
const PaperQuantity kGain{"gain", PaperUnit::ratio, 1};
const PaperQuantity kSaved{"saved", PaperUnit::percent, 0};
const PaperQuantity kShare{"share", PaperUnit::percent, std::nullopt};
const PaperQuantity kPoints{"difference", PaperUnit::points, 0};

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
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, kTenth, paper_answer(1.36)), kReproduced);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, kTenth, paper_answer(1.34)), kDirectionOnly);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, kTenth, paper_answer(1.64)), kReproduced);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, kTenth, paper_answer(1.66)), kDirectionOnly);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, 0, paper_answer(1.5)), kReproduced);
  EXPECT_EQ(verdict_of({0.99, 0.99}, kGain, 0.02, paper_answer(0.98)), kReproduced);
  EXPECT_EQ(verdict_of({-0.3, -0.3}, kPoints, kTenth, paper_answer(-0.25)), kReproduced);
  EXPECT_EQ(verdict_of({-0.3, -0.3}, kPoints, kTenth, paper_answer(-0.15)), kDirectionOnly);
}

TEST(PaperVerdict, MeetsWithWhereItLies) {
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, 0, paper_answer(1.3, 1.1, 1.5)), kReproduced);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, 0, paper_answer(1.7, 1.51, 2)), kDirectionOnly);
}

TEST(PaperVerdict, CannotBeToldApartWhereNoEffectIsAsLikely) {
  EXPECT_EQ(verdict_of({1.1, 1.1}, kGain, 0, paper_answer(1.05, 1, 1.1)), kNotToldApart);
  EXPECT_EQ(verdict_of({1.1, 1.1}, kGain, 0, paper_answer(1.05, 1.01, 1.1)), kReproduced);
  EXPECT_EQ(verdict_of({1, 1.1}, kGain, 0, paper_answer(1.05, 0.9, 1.1)), kReproduced)
      << "the paper says as much";
  EXPECT_EQ(verdict_of({10, 20}, kShare, 0, paper_answer(12, 0, 30)), kReproduced)
      << "a share has no side";
}

TEST(PaperVerdict, HasADirectionWhereThereIsOne) {
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, 0, paper_answer(0.99)), kNotReproduced);
  EXPECT_EQ(verdict_of({1.5, 1.5}, kGain, 0, paper_answer(1)), kNotReproduced);
  EXPECT_EQ(verdict_of({0.9, 0.9}, kGain, 0, paper_answer(0.7)), kDirectionOnly);
  EXPECT_EQ(verdict_of({15, 25}, kSaved, 0, paper_answer(3)), kDirectionOnly);
  EXPECT_EQ(verdict_of({15, 25}, kSaved, 0, paper_answer(-3)), kNotReproduced);
  EXPECT_EQ(verdict_of({15, 25}, kShare, 0, paper_answer(3)), kNotReproduced);
  EXPECT_EQ(verdict_of({-1, 1}, kPoints, 0, paper_answer(2)), kNotReproduced)
      << "no effect is in the published range";
}

TEST(PaperFigures, ArePrintedWithTheirUnit) {
  EXPECT_EQ(format_figure(PaperUnit::ratio, 1.4444), "1.44x");
  EXPECT_EQ(format_figure(PaperUnit::percent, 33.17), "33.2 %");
  EXPECT_EQ(format_figure(PaperUnit::percent, 4.1637), "4.16 %");
  EXPECT_EQ(format_figure(PaperUnit::percent, -12.345), "-12.3 %");
  EXPECT_EQ(format_figure(PaperUnit::points, -0.125), "-0.12 points");
  EXPECT_EQ(format_figure(PaperUnit::tflops, 1900), "1900 TFLOP/s");
  EXPECT_EQ(format_figure(PaperUnit::bits, 2), "2.00 bits");
  EXPECT_EQ(format_figure(PaperUnit::count, 90), "90.0");
}

}  // namespace
}  // namespace stcsim
