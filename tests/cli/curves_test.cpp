#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Curves : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  ProgramResult run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tta", "--curves-only"});
    return run_stcsim(arguments, {.working_directory = folder_.path()});
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(Curves, SeedsThatReachATarget) {
  file("a.csv", "epoch,acc\n1,50\n2,70\n3,90\n");
  file("b.csv", "epoch,acc\n1,40\n2,91\n3,92\n");
  const ProgramResult result = run({"a.csv", "b.csv", "--target", "90", "--smooth", "1"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(without_next(result.out),
            "acc (higher is better) reaches 90 in 2 of 2 runs after 2.5 epochs in the mean\n\n"
            "run    format  points  epochs  final  best  first crossing  smoothed crossing\n"
            "-----  ------  ------  ------  -----  ----  --------------  -----------------\n"
            "a.csv  csv          3  1 to 3     90    90               3                  3\n"
            "b.csv  csv          3  1 to 3     92    92               2            1.98039\n\n"
            "over runs                  runs    mean  95 % interval  median    least  most\n"
            "-------------------------  ----  ------  -------------  ------  -------  ----\n"
            "first crossing, epochs        2     2.5         2 to 3     2.5        2     3\n"
            "smoothed crossing, epochs     2  2.4902   1.98039 to 3  2.4902  1.98039     3\n"
            "final value                   2      91       90 to 92      91       90    92\n"
            "best value                    2      91       90 to 92      91       90    92\n\n"
            "First crossing: the first point measured at 90 or above, not interpolated. Smoothed "
            "crossing:\n"
            "  where the curve gets there on straight lines between its points. A run that never "
            "does is not\n"
            "  continued, and in no mean.\n"
            "Interval: of the mean, by bootstrap over the runs (seed 1).\n");
}

TEST_F(Curves, LossIsLowerIsBetterUnlessToldOtherwise) {
  file("a.csv", "step,val_loss\n10,3\n20,1\n");
  EXPECT_THAT(run({"a.csv", "--target", "2"}).out,
              StartsWith("val_loss (lower is better) reaches 2 in 1 of 1 run after 20 steps\n"));
  EXPECT_THAT(run({"a.csv", "--target", "2", "--higher-is-better"}).out,
              StartsWith("val_loss (higher is better) reaches 2 in 1 of 1 run after 10 steps\n"));
}

TEST_F(Curves, SeveralMetricsAreListed) {
  file("a.csv", "epoch,acc,f1\n1,50,\n2,70,1\n");
  EXPECT_EQ(without_next(run({"a.csv"}).out),
            "1 run; --metric says which curve to look at\n\n"
            "run    format  over    metrics (points)\n"
            "-----  ------  ------  ----------------\n"
            "a.csv  csv     epochs  acc (2), f1 (1)\n");
  EXPECT_EQ(run({"a.csv", "--target", "60"}).err,
            "stcsim tta --curves-only: error: --metric is missing, must be one of acc, f1\n");
  EXPECT_EQ(run({"a.csv", "--metric", "ac"}).err,
            "stcsim tta --curves-only: error: --metric is 'ac', which 'a.csv' does not have, must "
            "be one of "
            "acc, f1; did you mean 'acc'?\n");
}

TEST_F(Curves, SetsThatCannotBeToldApart) {
  file("a.csv", "epoch,acc\n1,50\n");
  file("b.csv", "epoch,acc\n1,60\n");
  EXPECT_THAT(run({"a.csv", "--against", "b.csv"}).out,
              HasSubstr("\nfinal value: cannot be told apart, p = 1 (so few runs never come below "
                        "1, whatever they do)\n"));
}

TEST_F(Curves, MixedFractionsAndPercentAreRefused) {
  file("a.csv", "epoch,acc\n1,0.5\n");
  file("b.csv", "epoch,acc\n1,60\n");
  EXPECT_EQ(run({"a.csv", "b.csv"}).err,
            "stcsim tta --curves-only: error: acc is at most 0.5 in 'a.csv', but 60 in 'b.csv': a "
            "fraction in "
            "one and percent in the other, must be the same in all\n");
  EXPECT_EQ(run({"a.csv", "--target", "50"}).err,
            "stcsim tta --curves-only: error: --target is 50, but acc is a fraction (at most 0.5 "
            "in 'a.csv'), "
            "must be one too: 0.5\n");
}

TEST_F(Curves, ErrorsNameThePlace) {
  file("a.csv", "x,y\n1,0.5\n");
  const ProgramResult result = run({"a.csv"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "a.csv:1:1: error: no column says how much was trained, must be one of epoch, step, "
            "samples, hours and seconds; columns: x, y\n");
}

TEST_F(Curves, MetricsAreCalledWhatATerminalMayBeGiven) {
  file("a.csv", "epoch,\"ac\x1b[31m\rc\"\n1,50\n2,60\n");
  const ProgramResult result = run({"a.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("1 run of ac [31m c (higher is better) over epochs"));
  EXPECT_EQ(without_next(run({"a.csv", "--metric", "ac [31m c"}).out), without_next(result.out));
}

TEST_F(Curves, Misuses) {
  file("a.csv", "epoch,acc\n1,50\n");
  const auto error = [&](std::vector<std::string> arguments) {
    const ProgramResult result = run(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string front = "stcsim tta --curves-only: error: ";
  EXPECT_EQ(error({}), front + "FILE is missing\n");
  EXPECT_EQ(error({"a.csv", "--smooth", "3"}), front + "--smooth has no effect without --target\n");
  EXPECT_EQ(error({"a.csv", "--planned", "9"}),
            front + "--planned has no effect without --target\n");
  EXPECT_EQ(error({"a.csv", "--smooth", "4", "--target", "1"}),
            front + "--smooth is '4', must be an odd number of points\n");
  file("two.csv", "epoch,acc,f1\n1,50,40\n");
  EXPECT_EQ(error({"two.csv", "--seed", "x"}),
            front + "--seed is 'x', must be a whole number from 0 to 9223372036854775807\n");
  EXPECT_EQ(error({"two.csv", "--smooth", "x"}),
            front + "--smooth has no effect without --target\n");
  EXPECT_EQ(error({"a.csv", "--target", "high"}),
            front + "--target is 'high', must be a finite number\n");
  EXPECT_EQ(error({"a.csv", "--lower-is-better", "--higher-is-better"}),
            front + "--higher-is-better contradicts --lower-is-better\n");
  EXPECT_EQ(error({"a.csv", "--over", "hours"}),
            "a.csv:1:1: error: no column counts hours; columns: epoch, acc\n");
  EXPECT_EQ(error({"no.csv"}), front + "cannot read no.csv: No such file or directory\n");
  EXPECT_EQ(error({"a.csv", "--read-as", "cvs"}),
            front +
                "--read-as is 'cvs', must be one of csv, tensorboard, json-lines; did you mean "
                "'csv'?\n");
  file("state.json", "{\"log_history\": []}");
  EXPECT_EQ(error({"state.json"}),
            "state.json: error: the file is a trainer_state.json, must be one of csv, "
            "tensorboard, json-lines; 'python3 -m stcsim.curves state.json' "
            "writes CSV\n");
  EXPECT_THAT(error({"state.json", "--read-as", "csv"}), StartsWith("state.json:1:1: error: "));
  file("run.log", "0: :::MLLOG {}\n");
  EXPECT_THAT(error({"run.log"}), StartsWith("run.log: error: the file is a log of MLPerf, must"));
}

TEST_F(Curves, NegativeTargets) {
  file("a.csv", "epoch,logp\n1,-50\n2,-20\n");
  EXPECT_THAT(run({"a.csv", "--target=-30"}).out,
              StartsWith("logp (higher is better) reaches -30 in 1 of 1 run after 2 epochs\n"));
}

TEST_F(Curves, JsonHasFiguresAndNotes) {
  file("a.csv", "epoch,acc\n0,50\n1,nan\n2,90\n");
  const auto json = nlohmann::json::parse(run({"a.csv", "--target", "90", "--format", "json"}).out);
  EXPECT_EQ(json["schema"], "stcsim.curves/1");
  EXPECT_EQ(json["question"]["target"], 90);
  EXPECT_EQ(json["figures"]["first_crossing"]["when"]["mean"], 3);
  EXPECT_EQ(json["figures"]["first_crossing"]["when"]["interval"], nullptr);
  ASSERT_EQ(json["notes"].size(), 2U);
  EXPECT_EQ(json["notes"][1]["where"], "a.csv:3");
}

TEST_F(Curves, JsonHasTheMeanCurveOfEachSet) {
  file("a.csv", "epoch,acc\n1,50\n2,70\n");
  file("b.csv", "epoch,acc\n1,40\n3,80\n");
  file("c.csv", "epoch,acc\n1,30\n");
  const auto json =
      nlohmann::json::parse(run({"a.csv", "b.csv", "--against", "c.csv", "--format", "json"}).out);
  EXPECT_EQ(json["figures"]["curve"], nlohmann::json::parse(R"([
    {"x": 1.0, "runs": 2, "mean": 45.0, "least": 40.0, "most": 50.0},
    {"x": 2.0, "runs": 2, "mean": 65.0, "least": 60.0, "most": 70.0},
    {"x": 3.0, "runs": 1, "mean": 80.0, "least": 80.0, "most": 80.0}])"));
  EXPECT_EQ(json["against"]["curve"],
            nlohmann::json::parse(
                R"([{"x": 1.0, "runs": 1, "mean": 30.0, "least": 30.0, "most": 30.0}])"));
}

TEST_F(Curves, CsvHasThePoints) {
  file("a.csv", "epoch,acc,loss\n1,50,2\n2,60,\n");
  EXPECT_EQ(run({"a.csv", "--format", "csv"}).out,
            "run,metric,over,x,value\r\na.csv,acc,epochs,1,50\r\na.csv,acc,epochs,2,60\r\n"
            "a.csv,loss,epochs,1,2\r\n");
}

TEST_F(Tta, CurvesOverHoursAreRefused) {
  with(kWithCurves);
  file("dense_1.csv", "hours,acc\n1,50\n2,90\n");
  EXPECT_THAT(run().err, HasSubstr("the curves are over hours"));
}

TEST_F(Tta, AMetricHasToBeChosenWhereThereAreSeveral) {
  with(kWithCurves);
  file("dense_1.csv", "epoch,loss,accuracy\n1,5,50\n2,3,90\n");
  EXPECT_THAT(run().err, HasSubstr("--metric is missing, must be one of"));
  EXPECT_EQ(parsed({"--metric", "accuracy"})["question"]["metric"], "accuracy");
  const nlohmann::json loss = parsed({"--metric", "loss", "--target", "4"});
  EXPECT_EQ(loss["question"]["lower_is_better"], true);
  EXPECT_EQ(loss["results"][0]["to_target"]["mean"], 2);
}

}  // namespace
}  // namespace stcsim
