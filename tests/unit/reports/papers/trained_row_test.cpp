// Accuracies of our own small trainings, from a table.
#include "reports/papers/trained_row.hpp"

#include <cmath>

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

TEST_F(TrainedRows, EpochsToATargetAreTheFirstThatReachIt) {
  const auto to = [](const std::string& target) {
    return answer("task: images, scheme: dense, quantity: epochs_to, target: " + target);
  };
  EXPECT_EQ(to("50").value, 1);
  EXPECT_EQ(to("50").low, 1);
  EXPECT_EQ(to("50").high, 2);
  EXPECT_EQ(to("50").where, "images, dense, 5 seeds, 50 %");
  EXPECT_EQ(to("50").because, "");
  EXPECT_EQ(to("80").value, 2);
  EXPECT_EQ(to("80").high, 3);
  EXPECT_EQ(to("81").low, 2);
  EXPECT_EQ(to("81").value, 3);
  // The lower end of the interval never does.
  EXPECT_EQ(to("90").value, 3);
  EXPECT_EQ(to("90").high, 3);
  EXPECT_THAT(to("90").because, HasSubstr("does not reach it"));
  EXPECT_EQ(
      info_of(row("task: images, scheme: dense, quantity: epochs_to, target: 50").quantity).unit,
      PaperUnit::count);
  EXPECT_THAT(error("task: images, scheme: dense, quantity: epochs_to, target: 91"),
              AllOf(HasSubstr("f.yaml:1:"),
                    HasSubstr("'target' is 91, the best epoch of images, dense has 90.00 %")));
}

TEST_F(TrainedRows, SaysWhatThereIs) {
  EXPECT_THAT(
      error("task: image, scheme: dense"),
      HasSubstr("'task' is 'image', which trained.csv does not have: it has images, tokens"));
  EXPECT_THAT(
      error("task: images, scheme: sdgp"),
      HasSubstr(
          "'scheme' is 'sdgp', which trained.csv does not have of images: it has dense, sdgp-4:8"));
  EXPECT_THAT(error("task: tokens, scheme: dense"), HasSubstr("of tokens: it has sdgp-4:8"));
  EXPECT_THAT(error("task: images, scheme: dense, against: asp"), HasSubstr("'against' is 'asp'"));
  EXPECT_THAT(error("task: tokens, scheme: 'sdgp-4:8', quantity: difference"),
              HasSubstr("'against' is 'dense'"));
  EXPECT_THAT(error("task: images, scheme: dense, epoch: 4"),
              HasSubstr("'epoch' is 4, trained.csv has 1 to 3 of images, dense"));
  EXPECT_THAT(error("task: images, scheme: dense, against: 'sdgp-4:8', epoch: 3"),
              HasSubstr("has 1 to 2"));
  EXPECT_THAT(error("task: images, scheme: dense, quantity: accuracy, against: dense"),
              HasSubstr("'against' is of the quantity difference"));
  EXPECT_THAT(error("task: images, scheme: dense, quantity: accuracy, target: 4"),
              HasSubstr("target"));
  EXPECT_THAT(error("task: images, scheme: dense, quantity: epochs_to, target: 40, epoch: 2"),
              HasSubstr("epoch"));
  EXPECT_THAT(error("task: images"), HasSubstr("scheme"));
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
      EXPECT_EQ(row.epochs.size(), 8U) << task << ' ' << scheme;
      EXPECT_EQ(row.epochs.back().seeds, 5) << task << ' ' << scheme;
    }
  }
}

}  // namespace
}  // namespace stcsim
