// Bias and variance of estimators, against closed forms, and of gradients from a table.
#include "reports/papers/estimate_row.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/evidence/table_fields.hpp"
#include "tests/unit/reports/papers/paper_rows.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

EstimateRow estimate_row(const std::string& keys) {
  return test::row_in("{" + keys + "}", read_estimate_row);
}

PaperAnswer estimate_answer(const std::string& keys) {
  return answer_of(estimate_row(keys));
}

std::string estimate_error(const std::string& keys) {
  return error_in("{" + keys + "}", [](MapReader& map) { (void)read_estimate_row(map); });
}

double figure_of(const std::string& quantity, const std::string& keys) {
  return estimate_answer("quantity: " + quantity + ", " + keys).value;
}

TEST(EstimateRow, EqualNumbersHaveKnownFigures) {
  const std::string ones = ", on: constant, size: 64, seeds: 1, draws: 64";
  // Half is kept as it is: the mean is half of x, or x itself at the places that magnitude keeps.
  EXPECT_DOUBLE_EQ(figure_of("bias", "method: magnitude, pattern: '2:4'" + ones), 0.5);
  EXPECT_DOUBLE_EQ(figure_of("variance", "method: magnitude, pattern: '2:4'" + ones), 0);
  EXPECT_DOUBLE_EQ(figure_of("mean_square_error", "method: magnitude, pattern: '1:4'" + ones),
                   0.75);
  EXPECT_NEAR(figure_of("bias", "method: random, pattern: '2:4'" + ones), 0.25, 0.01);
  EXPECT_NEAR(figure_of("variance", "method: random, pattern: '2:4'" + ones), 0.25, 0.01);
  EXPECT_NEAR(figure_of("mean_square_error", "method: random, pattern: '2:4'" + ones), 0.5, 0.01);
  // Kept ones are doubled with probability 1/2: variance 1/p - 1.
  EXPECT_NEAR(figure_of("bias", "method: mvue, pattern: '1:2'" + ones), 0, 0.005);
  EXPECT_NEAR(figure_of("variance", "method: mvue, pattern: '1:2'" + ones), 1, 0.01);
  EXPECT_NEAR(figure_of("variance", "method: mvue, pattern: '1:4'" + ones), 3, 0.05);
}

// Normal numbers a, b: E 2|ab| = 4/pi of E (a^2 + b^2) = 2; E min(a^2, b^2) = 1 - 2/pi.
TEST(EstimateRow, NormalNumbersHaveTheFiguresOfTheirClosedForms) {
  const std::string keys = ", pattern: '1:2', size: 256, seeds: 2, draws: 16";
  EXPECT_NEAR(figure_of("variance", "method: mvue" + keys), 2 / std::numbers::pi, 0.005);
  EXPECT_NEAR(figure_of("bias", "method: mvue" + keys), 0, 0.002);
  EXPECT_NEAR(figure_of("bias", "method: magnitude" + keys), (1 - 2 / std::numbers::pi) / 2, 0.002);
  EXPECT_NEAR(figure_of("mean_square_error", "method: mvue" + keys), 2 / std::numbers::pi, 0.007);
}

TEST(EstimateRow, TheBestUnbiasedEstimateVariesLeast) {
  const std::string keys = ", pattern: '2:4', size: 128, seeds: 1";
  const double best = figure_of("variance", "method: mvue" + keys);
  EXPECT_NEAR(figure_of("variance", "method: mvue-pairs" + keys), best, 0.01);
  EXPECT_NEAR(figure_of("variance", "method: mvue-approximate" + keys) / best, 1.06, 0.03);
  EXPECT_LT(figure_of("mean_square_error", "method: magnitude" + keys), best);
  EXPECT_NE(figure_of("variance", "method: mvue, on: uniform" + keys), best);
}

TEST(EstimateRow, FiguresAreTheMeanOfTheSeeds) {
  const std::string keys = "quantity: variance, method: mvue, pattern: '2:4', size: 16, draws: 4";
  double sum = 0;
  for (int seed = 7; seed < 10; ++seed) {
    const PaperAnswer one = estimate_answer(fmt::format("{}, seeds: 1, seed: {}", keys, seed));
    EXPECT_EQ(one.low, one.value);
    EXPECT_EQ(one.high, one.value);
    sum += one.value;
  }
  const PaperAnswer answer = estimate_answer(keys + ", seeds: 3, seed: 7");
  EXPECT_NEAR(answer.value, sum / 3, 1e-12);
  EXPECT_LT(answer.low, answer.value);
  EXPECT_GT(answer.high, answer.value);
  EXPECT_EQ(answer.column, "computed");
  EXPECT_EQ(answer.where, "normal 16x16, 3 seeds, 4 estimates");
  EXPECT_EQ(estimate_row("quantity: bias, method: random, pattern: '2:4'").draws, 32);
}

/// A folder of configurations with a table of gradients.
class GradientRow : public testing::Test {
 protected:
  void write(const std::string& lines) {
    folder_.write("papers/gradients.csv",
                  "# Comment\ntask,layer,phase,method,pattern,seeds,elements,zeros,retained,bias,"
                  "variance,mean_square_error\n" +
                      lines);
  }
  void SetUp() override {
    write(
        "tokens,ff1,wgrad,mvue,2:4,1,64,0.5,1,0.01,0.25,0.26\n"
        "tokens,ff2,wgrad,mvue,2:4,1,64,0,0.75,0,0.75,0.75\n"
        "tokens,ff1,dgrad,mvue,2:4,1,64,0.5,1,0,0.125,0.125\n"
        "tokens,ff1,wgrad,mvue,1:2,1,64,0.5,1,0,2,2\n"
        "tokens,ff1,wgrad,random,2:4,1,64,0.5,0.5,0.25,0.25,0.5\n"
        "images,conv,wgrad,mvue,2:4,1,64,0.5,1,0,1.5,1.5\n");
  }
  static std::string keys(const std::string& more = "") {
    return "on: gradients, method: mvue, pattern: '2:4', task: tokens" + more;
  }

  ScratchFolder folder_;
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", folder_.path().string()};
};

TEST_F(GradientRow, IsTheMeanOfTheLayersBetweenTheirEnds) {
  const PaperAnswer answer = estimate_answer("quantity: variance, " + keys());
  EXPECT_DOUBLE_EQ(answer.value, 0.5);
  EXPECT_DOUBLE_EQ(answer.low, 0.25);
  EXPECT_DOUBLE_EQ(answer.high, 0.75);
  EXPECT_EQ(answer.column, "computed");
  EXPECT_EQ(answer.where, "gradients of tokens, 2 layers, wgrad");
  EXPECT_THAT(answer.because, HasSubstr("the least and the most layer"));
  EXPECT_DOUBLE_EQ(figure_of("bias", keys()), 0.005);
  EXPECT_DOUBLE_EQ(figure_of("mean_square_error", keys()), 0.505);
  EXPECT_DOUBLE_EQ(figure_of("retained", keys()), 87.5);
  EXPECT_EQ(info_of(estimate_row("quantity: retained, " + keys()).quantity).unit,
            PaperUnit::percent);
  EXPECT_EQ(info_of(estimate_row("quantity: bias, " + keys()).quantity).unit, PaperUnit::value);
}

TEST_F(GradientRow, IsOfTheLayerAndPhaseAskedFor) {
  const PaperAnswer answer = estimate_answer("quantity: variance, " + keys(", layer: ff2"));
  EXPECT_DOUBLE_EQ(answer.value, 0.75);
  EXPECT_DOUBLE_EQ(answer.low, 0.75);
  EXPECT_EQ(answer.where, "gradients of tokens, layer ff2, wgrad");
  EXPECT_EQ(answer.because, "");
  EXPECT_DOUBLE_EQ(figure_of("variance", keys(", phase: dgrad")), 0.125);
}

TEST_F(GradientRow, SaysWhatThereIs) {
  EXPECT_THAT(
      estimate_error("quantity: bias, " + keys(", layer: conv")),
      AllOf(HasSubstr("f.yaml:1:"),
            HasSubstr("'layer' is 'conv', which gradients.csv does not have: it has ff1, ff2")));
  EXPECT_THAT(
      estimate_error("quantity: bias, on: gradients, method: mvue, pattern: '2:4', task: text"),
      HasSubstr("'task' is 'text', which gradients.csv does not have: it has images, tokens"));
  EXPECT_THAT(
      estimate_error("quantity: bias, on: gradients, method: mvue, pattern: '1:4', task: tokens"),
      HasSubstr("'method' is 'mvue 1:4', which gradients.csv does not have: it has mvue 1:2, mvue "
                "2:4, random 2:4"));
  EXPECT_THAT(estimate_error("quantity: bias, " + keys(", size: 4")), HasSubstr("size"));
  EXPECT_THAT(estimate_error("quantity: bias, " + keys(", phase: forward")), HasSubstr("wgrad"));
  write("tokens,ff1,wgrad,mvue,2:4,1,64,0.5,1,x,0.25,0.26\n");
  EXPECT_THAT(
      estimate_error("quantity: bias, " + keys()),
      AllOf(HasSubstr("gradients.csv:3:38"), HasSubstr("bias is 'x', must be a number from 0")));
  write("tokens,ff1,wgrad,mvue,2:4,1,64,0.5,1,-0.5,0.25,0.26\n");
  EXPECT_THAT(estimate_error("quantity: bias, " + keys()), HasSubstr("bias is '-0.5'"));
  write("tokens,ff1,wgrad,mvue,2:4,1,64,0.5,1,nan,0.25,0.26\n");
  EXPECT_THAT(estimate_error("quantity: bias, " + keys()), HasSubstr("bias is 'nan'"));
  folder_.write("papers/gradients.csv", "task,layer\n");
  EXPECT_THAT(estimate_error("quantity: bias, " + keys()), HasSubstr("gradients.csv"));
}

TEST(EstimateRow, SaysWhatIsWrong) {
  EXPECT_THAT(estimate_error("quantity: bias, method: transposable, pattern: '2:4'"),
              HasSubstr("'method' is 'transposable', must be one of random, magnitude"));
  EXPECT_THAT(estimate_error("quantity: bias, method: adaprune, pattern: '2:4'"),
              HasSubstr("'method' is 'adaprune'"));
  EXPECT_THAT(estimate_error("quantity: bias, method: mvue-pairs, pattern: '1:2'"),
              HasSubstr("for 2:4 only"));
  EXPECT_THAT(estimate_error("quantity: bias, method: mvue, pattern: dense"), HasSubstr("n < m"));
  EXPECT_THAT(estimate_error("quantity: bias, method: mvue, pattern: '2:4', draws: 1"),
              HasSubstr("draws"));
  EXPECT_THAT(estimate_error("quantity: retained, method: mvue, pattern: '2:4'"),
              HasSubstr("'retained' is of gradients"));
  EXPECT_THAT(estimate_error("quantity: bias, method: mvue, pattern: '2:4', task: tokens"),
              HasSubstr("task"));
}

/// The shipped table has every figure of all estimators that rows may ask for.
TEST(EstimateRow, ShippedGradientsAreWhatEstimatorsMakeOfThem) {
  const auto of = [](const std::string& quantity, const std::string& method,
                     const std::string& pattern) {
    return figure_of(quantity, fmt::format("on: gradients, task: tokens, method: {}, pattern: '{}'",
                                           method, pattern));
  };
  for (const std::string pattern : {"1:2", "2:4"}) {
    // A part of a biased estimate's error is variance if it draws, and all of it bias if it does
    // not.
    EXPECT_EQ(of("variance", "magnitude", pattern), 0);
    EXPECT_NEAR(of("bias", "random", pattern), 0.25, 0.01);
    EXPECT_LT(of("bias", "mvue", pattern), 0.01);
    EXPECT_LT(of("mean_square_error", "magnitude", pattern), of("variance", "mvue", pattern));
    // Gradients are less even than normal numbers.
    EXPECT_LT(of("variance", "mvue", pattern), pattern == "1:2" ? 0.634 : 0.472);
  }
  EXPECT_LT(of("variance", "mvue", "2:4"), of("variance", "mvue-approximate", "2:4"));
  EXPECT_EQ(
      estimate_row("quantity: bias, on: gradients, task: images, method: mvue, pattern: '2:4'")
          .gradients.size(),
      8U);
  EXPECT_EQ(
      estimate_row("quantity: bias, on: gradients, task: tokens, method: mvue, pattern: '2:4'")
          .gradients.size(),
      13U);
}

}  // namespace
}  // namespace stcsim
