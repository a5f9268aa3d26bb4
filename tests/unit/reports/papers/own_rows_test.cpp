// Accuracies of our own small trainings, from a table.
#include "reports/papers/own_rows.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reports/papers/paper_rows.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

class TrainedRows : public testing::Test {
 protected:
  void write(const std::string& lines) {
    folder_.write("papers/trained.csv",
                  "# Comment\ntask,scheme,epoch,seeds,mean,low,high\n" + lines);
  }
  void SetUp() override {
    write(
        "images,dense,1,5,0.5,0.4,0.6\n"
        "images,dense,2,5,0.8,0.76,0.81\n"
        "images,dense,3,5,0.9,0.87,0.92\n"
        "images,sdgp-4:8,1,5,0.3,0.2,0.4\n"
        "images,sdgp-4:8,2,5,0.7,0.67,0.84\n"
        "tokens,sdgp-4:8,1,1,0.25,0.25,0.25\n");
  }
  static TrainedRow row(const std::string& keys) {
    return test::row_in("{" + keys + "}", read_trained_row);
  }
  static PaperAnswer answer(const std::string& keys) { return answer_of(row(keys)); }
  static std::string error(const std::string& keys) {
    return error_in("{" + keys + "}", [](MapReader& map) { (void)read_trained_row(map); });
  }

  ScratchFolder folder_;
  EnvironmentVariable directory_{"STCSIM_CONFIG_DIR", folder_.path().string()};
};

TEST_F(TrainedRows, AccuracyIsOfTheLastEpochOrTheOneAskedFor) {
  const PaperAnswer last = answer("task: images, scheme: dense");
  EXPECT_DOUBLE_EQ(last.value, 90);
  EXPECT_DOUBLE_EQ(last.low, 87);
  EXPECT_DOUBLE_EQ(last.high, 92);
  EXPECT_EQ(last.column, "our training");
  EXPECT_EQ(last.where, "images, dense, 5 seeds, epoch 3");
  EXPECT_EQ(last.because, "");
  EXPECT_DOUBLE_EQ(answer("task: images, scheme: dense, quantity: accuracy, epoch: 1").value, 50);
  EXPECT_DOUBLE_EQ(answer("task: images, scheme: sdgp-4:8").value, 70);
  EXPECT_EQ(answer("task: tokens, scheme: sdgp-4:8").where, "tokens, sdgp-4:8, 1 seed, epoch 1");
  EXPECT_EQ(info_of(row("task: images, scheme: dense").quantity).unit, PaperUnit::percent);
  EXPECT_EQ(info_of(row("task: images, scheme: dense").quantity).title, "accuracy");
}

TEST_F(TrainedRows, DifferenceHasTheIntervalOfBoth) {
  // The last epoch that both have: 0.7 (0.67 to 0.84) - 0.8 (0.76 to 0.81).
  const PaperAnswer both = answer("task: images, scheme: sdgp-4:8, against: dense");
  EXPECT_NEAR(both.value, -10, 1e-9);
  EXPECT_NEAR(both.low, -10 - 100 * std::hypot(0.03, 0.01), 1e-9);
  EXPECT_NEAR(both.high, -10 + 100 * std::hypot(0.14, 0.04), 1e-9);
  EXPECT_EQ(both.where, "images, sdgp-4:8, 5 seeds, against dense, epoch 2");
  EXPECT_THAT(both.because, HasSubstr("cannot be told apart"));
  EXPECT_NEAR(both.p_value.value(), 0.178, 1e-3) << "10 of 14.6, which 95 % are within";
  // 0.3 (0.2 to 0.4) - 0.5 (0.4 to 0.6), and the other way round.
  const PaperAnswer first =
      answer("task: images, scheme: sdgp-4:8, quantity: difference, epoch: 1");
  EXPECT_NEAR(first.value, -20, 1e-9);
  EXPECT_NEAR(first.high, -20 + 100 * std::hypot(0.1, 0.1), 1e-9);
  EXPECT_EQ(first.because, "");
  const PaperAnswer reverse = answer("task: images, scheme: dense, against: 'sdgp-4:8', epoch: 1");
  EXPECT_NEAR(reverse.value, 20, 1e-9);
  EXPECT_EQ(reverse.because, "");
  EXPECT_EQ(info_of(row("task: images, scheme: dense, against: dense").quantity).unit,
            PaperUnit::points);
}

TEST_F(TrainedRows, SaysWhatThereIs) {
  const std::vector<std::pair<std::string, std::string>> errors{
      {"task: image, scheme: dense",
       "'task' is 'image', which trained.csv does not have: it has images, tokens"},
      {"task: images, scheme: sdgp",
       "'scheme' is 'sdgp', which trained.csv of images does not have: it has dense, sdgp-4:8"},
      {"task: tokens, scheme: dense", "of tokens does not have: it has sdgp-4:8"},
      {"task: images, scheme: dense, against: asp", "'against' is 'asp'"},
      {"task: tokens, scheme: 'sdgp-4:8', quantity: difference", "'against' is 'dense'"},
      {"task: images, scheme: dense, epoch: 4",
       "'epoch' is 4, trained.csv has 1 to 3 of images, dense"},
      {"task: images, scheme: dense, against: 'sdgp-4:8', epoch: 3", "has 1 to 2"},
      {"task: images, scheme: dense, quantity: accuracy, against: dense",
       "'against' is of the quantity difference"},
      {"task: images, scheme: dense, target: 4", "unknown key 'target'"},
      {"task: images", "scheme"}};
  for (const auto& [keys, text] : errors) EXPECT_THAT(error(keys), HasSubstr(text)) << keys;
}

TEST_F(TrainedRows, RefusesATableThatCannotBe) {
  const auto error_with = [this](const std::string& line) {
    write(line);
    return error("task: images, scheme: dense");
  };
  EXPECT_THAT(error_with("images,dense,2,5,0.5,0.4,0.6\n"),
              AllOf(HasSubstr("trained.csv:3:14"),
                    HasSubstr("epoch is 2, must be 1, the next of images, dense")));
  EXPECT_THAT(error_with("images,dense,1,5,0.5,0.4,0.6\nimages,dense,1,5,0.5,0.4,0.6\n"),
              HasSubstr("epoch is 1, must be 2"));
  EXPECT_THAT(error_with("images,dense,1,5,0.5,0.6,0.7\n"),
              HasSubstr("mean is 0.5, must be between low, 0.6, and high, 0.7"));
  EXPECT_THAT(error_with("images,dense,1,5,0.5,0.3,0.4\n"), HasSubstr("must be between"));
  EXPECT_THAT(error_with("images,dense,1,0,0.5,0.4,0.6\n"),
              HasSubstr("seeds is '0', must be a whole number from 1"));
  EXPECT_THAT(error_with("images,dense,1,5,50,0.4,0.6\n"),
              HasSubstr("mean is '50', must be a number from 0 to 1"));
  EXPECT_THAT(error_with("images,dense,1,5,0.5,,0.6\n"), HasSubstr("low is ''"));
  EXPECT_EQ(error_with("images,dense,1,5,0.5,0.5,0.5\n"), "no error");
}

/// The shipped table has what the claims that publications make of pairs of schemes need.
TEST(ShippedTrainings, HaveEverySchemeOfBothTasks) {
  for (const std::string task : {"images", "tokens"}) {
    for (const std::string scheme :
         {"dense", "sdgp", "sdgp-random", "sdgp-magnitude", "sdgp-16:32", "mvue-1-2", "mvue-2-4",
          "magnitude-1-2", "transposable", "s-ste", "asp", "fst"}) {
      const TrainedRow row =
          test::row_in("{task: " + task + ", scheme: '" + scheme + "'}", read_trained_row);
      EXPECT_EQ(row.trained.epoch, 8) << task << ' ' << scheme;
      EXPECT_EQ(row.trained.seeds, 5) << task << ' ' << scheme;
    }
  }
}

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
    return "method: mvue, pattern: '2:4', task: tokens" + more;
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

TEST_F(GradientRow, SaysWhatThereIs) {
  EXPECT_THAT(
      estimate_error("quantity: bias, method: mvue, pattern: '2:4', task: text"),
      HasSubstr("'task' is 'text', which gradients.csv does not have: it has images, tokens"));
  EXPECT_THAT(
      estimate_error("quantity: bias, method: mvue, pattern: '1:4', task: tokens"),
      HasSubstr("'method' is 'mvue 1:4', which gradients.csv does not have: it has mvue 1:2, mvue "
                "2:4, random 2:4"));
  EXPECT_THAT(estimate_error("quantity: bias, " + keys(", size: 4")), HasSubstr("size"));
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

/// The shipped table has every figure of all estimators that rows may ask for.
TEST(EstimateRow, ShippedGradientsAreWhatEstimatorsMakeOfThem) {
  const auto of = [](const std::string& quantity, const std::string& method,
                     const std::string& pattern) {
    return figure_of(quantity,
                     fmt::format("task: tokens, method: {}, pattern: '{}'", method, pattern));
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
      estimate_row("quantity: bias, task: images, method: mvue, pattern: '2:4'").layers.size(), 8U);
  EXPECT_EQ(
      estimate_row("quantity: bias, task: tokens, method: mvue, pattern: '2:4'").layers.size(),
      13U);
}

}  // namespace
}  // namespace stcsim
