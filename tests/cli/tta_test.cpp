#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(Tta, WithoutCurvesSaysHowManyEpochsASchemeMayTake) {
  const json result = parsed();
  const json& dense = result["results"][0];
  const json& asp = result["results"][1];
  EXPECT_EQ(dense["verdict"], "baseline");
  EXPECT_EQ(asp["verdict"], "unknown");
  EXPECT_EQ(asp["hours"], nullptr);
  // A dense training before takes all the time there is.
  EXPECT_EQ(asp["break_even"], nullptr);
  EXPECT_EQ(asp["parts"][0]["name"], "dense before");
  EXPECT_EQ(asp["parts"][1]["name"], "sparse");
  EXPECT_EQ(asp["parts"][1]["epochs"], 10);
  const double dense_ms = dense["step_ms"]["mean"];
  const double asp_ms = asp["step_ms"]["mean"];
  // 2000 samples an epoch, 2 a step: 10,000 steps.
  EXPECT_DOUBLE_EQ(dense["training_hours"], dense_ms * 10000 / 3.6e6);
  EXPECT_NEAR(asp["training_hours"], (dense_ms + asp_ms) * 10000 / 3.6e6, 1e-12);
  EXPECT_THAT(run().out, HasSubstr("asp     dense before  tiny"));
}

/// Options say what a file does.
TEST_F(Tta, NeedsNoFile) {
  for (const char* const scheme : {"dense", "asp"}) {
    for (const int seed : {1, 2}) {
      file(fmt::format("{}_{}.csv", scheme, seed), "epoch,acc\n1,50\n2,90\n3,92\n");
    }
  }
  with(
      "  samples_per_epoch: 2000\n  trainings:\n    - {scheme: dense, curves: ['dense_*.csv']}\n"
      "    - {scheme: asp, curves: ['asp_1.csv', 'asp_2.csv']}\n");
  const json expected = parsed({"--target", "90"});
  const std::vector<std::string> question{
      "tta",          "--network", "./net.yaml", "--arch",   "./two_sms.yaml",    "--target",
      "90",           "--format",  "json",       "--curves", "dense=dense_*.csv", "--curves",
      "asp=asp_*.csv"};
  write_text(tiny().path("two_sms.yaml"),
             "extends: a100\nname: two_sms\naccelerator: {num_sms: 2}\n");
  const ProgramOptions there{.working_directory = tiny().directory()};
  const ProgramResult missing = run_stcsim(question, there);
  EXPECT_EQ(missing.err, "stcsim tta: error: --samples-per-epoch is missing\n");
  std::vector<std::string> whole = question;
  whole.insert(whole.end(), {"--framework", "ideal", "--set", "kernel_candidates=1", "--set",
                             "sparse_where=always", "--samples-per-epoch", "2000"});
  const ProgramResult result = run_stcsim(whole, there);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["results"], expected["results"]);
  std::vector<std::string> named = whole;
  named.insert(named.end(), {"--schemes", "asp"});  // dense is what it is compared with
  EXPECT_EQ(json::parse(run_stcsim(named, there).out)["results"], expected["results"]);
  named.back() = "asp,bdwp,bi-mask,fst,s-ste,sdgp,slope,sr-ste,step,transposable";
  std::ranges::replace(named, "json", "table");
  EXPECT_THAT(run_stcsim(named, there).out, HasSubstr("; unknown: 9 schemes"));
  whole.back() = "2000000";
  whole.emplace_back("--curves=dense");
  EXPECT_EQ(run_stcsim(whole, there).err,
            "stcsim tta: error: --curves is 'dense', must be a scheme and its files, e.g. "
            "'sdgp=runs/sdgp*.csv'\n");
}

TEST_F(Tta, TakesStepsFromTheStudy) {
  const ProgramResult study = run_stcsim({"run", "mine.yaml", "--format", "json"},
                                         {.working_directory = tiny().directory()});
  ASSERT_EQ(study.exit_code, 0) << study.err;
  const json totals = json::parse(study.out)["totals"];
  const json result = parsed();
  for (const std::size_t at : {0U, 1U}) {
    EXPECT_DOUBLE_EQ(result["results"][at]["step_ms"]["sparse"],
                     totals[at]["step"]["time_us"].get<double>() / 1000);
    EXPECT_EQ(result["results"][at]["scheme"], totals[at]["scheme"]);
  }
}

TEST_F(Tta, PutsCurvesAndStepsTogether) {
  with(kWithCurves);
  for (const int seed : {1, 2, 3, 4}) {
    file(fmt::format("dense_{}.csv", seed), "epoch,acc\n1,50\n2,90\n3,92\n4,93\n");
    file(fmt::format("asp_{}.csv", seed), "epoch,acc\n1,95\n2,96\n3,96\n4,96\n");
  }
  const json result = parsed();
  const json& dense = result["results"][0];
  const json& asp = result["results"][1];
  EXPECT_EQ(dense["to_target"]["reached"], 4);
  EXPECT_EQ(dense["to_target"]["mean"], 2);
  const double dense_hours = dense["step_ms"]["mean"].get<double>() * 1000 / 3.6e6;  // an epoch
  const double asp_hours = asp["step_ms"]["mean"].get<double>() * 1000 / 3.6e6;
  EXPECT_NEAR(dense["hours"]["mean"], 2 * dense_hours, 1e-12);
  EXPECT_NEAR(asp["hours"]["mean"], 4 * dense_hours + asp_hours, 1e-12);
  EXPECT_EQ(asp["verdict"], "slower");
  EXPECT_EQ(asp["told_apart"], true);
  EXPECT_EQ(asp["final"]["mean"], 96);
  EXPECT_DOUBLE_EQ(asp["final_against"]["difference"], 3);
  EXPECT_EQ(result["curves"][0]["points"].size(), 4U);
  EXPECT_EQ(dense["pareto"], true);
  EXPECT_EQ(asp["pareto"], true);
}

TEST_F(Tta, OneSeedGivesNoIntervalAndSaysSo) {
  with(kWithCurves);
  file("dense_1.csv", "epoch,acc\n1,50\n2,90\n");
  file("asp_1.csv", "epoch,acc\n1,50\n2,90\n");
  const ProgramResult text = run();
  EXPECT_THAT(text.out, HasSubstr("one run, so nobody knows: asp"));
  EXPECT_THAT(text.out, HasSubstr("one run gives none"));
  const json asp = parsed()["results"][1];
  EXPECT_EQ(asp["verdict"], "one run");
  EXPECT_EQ(asp["hours"]["interval"], nullptr);
  EXPECT_EQ(asp["speedup"]["interval"], nullptr);
  EXPECT_EQ(asp["told_apart"], false);
}

TEST_F(Tta, ATargetThatIsNotReachedIsSaidSoAndNotContinued) {
  with(kWithCurves);
  for (const int seed : {1, 2, 3, 4, 5}) {
    file(fmt::format("dense_{}.csv", seed), "epoch,acc\n1,50\n2,90\n");
    file(fmt::format("asp_{}.csv", seed), fmt::format("epoch,acc\n1,50\n2,{}\n", 86 + seed));
  }
  const json asp = parsed()["results"][1];
  EXPECT_EQ(asp["to_target"]["reached"], 2);
  EXPECT_EQ(asp["to_target"]["runs"], 5);
  EXPECT_THAT(run().out, HasSubstr("2 of 5"));
  const json never = parsed({"--target", "99"});
  EXPECT_EQ(never["results"][0]["hours"], nullptr);
  EXPECT_EQ(never["results"][1]["verdict"], "not reached");
  EXPECT_THAT(run({"--target", "99"}).out, HasSubstr("dense never reaches 99 in 5 runs"));
}

/// Nothing is published of a network of the user's.
TEST_F(Tta, SchemesWithoutCurvesAreUnknown) {
  with(kWithCurves);
  file("dense_1.csv", "epoch,acc\n1,50\n2,90\n");
  file("dense_2.csv", "epoch,acc\n1,50\n2,80\n3,90\n");
  const json asp = parsed()["results"][1];
  EXPECT_EQ(asp["to_target"], nullptr);
  EXPECT_EQ(asp["hours"], nullptr);
  EXPECT_EQ(asp["verdict"], "unknown");
  EXPECT_THAT(asp["evidence"].get<std::string>(), HasSubstr("epochs unknown"));
  EXPECT_EQ(asp["speedup"], nullptr);
}

TEST_F(Tta, ABudgetShowsWhatIsReachedInTime) {
  with(kWithCurves);
  file("dense_1.csv", "epoch,acc\n1,50\n2,90\n");
  const json dense = parsed({"--budget", "1.5d"})["results"][0];
  EXPECT_EQ(dense["within_budget"]["reached"], 1);
  EXPECT_EQ(dense["within_budget"]["mean"], 90);
  EXPECT_EQ(parsed({"--budget", "0.000001s"})["results"][0]["within_budget"]["mean"], nullptr);
  EXPECT_EQ(run({"--budget", "2"}).err,
            "stcsim tta: error: --budget is '2', must be a time above 0 with its unit: 45s, 90min, "
            "2h or 1.5d\n");
}

TEST_F(Tta, StepsAndSamplesAreTurnedIntoEpochs) {
  for (const char* const header : {"step", "samples"}) {
    with("  samples_per_epoch: 2000\n  epochs: 4\n  target: 90\n  curves: '{scheme}_*.csv'\n");
    const int per_epoch = std::string(header) == "step" ? 1000 : 2000;
    file("dense_1.csv", fmt::format("{},acc\n{},50\n{},90\n", header, per_epoch, 3 * per_epoch));
    const json dense = parsed()["results"][0];
    EXPECT_EQ(dense["epochs_to_target"]["mean"], 3) << header;
    EXPECT_EQ(dense["to_target"]["mean"], 3 * per_epoch) << header;
  }
}

TEST_F(Tta, AScheduleChangesTheNetwork) {
  write_text(tiny().path("mine.yaml"),
             "machines: [{extends: a100, name: two_sms, accelerator: {num_sms: 2}}]\n"
             "networks: [./net.yaml, {extends: ./net.yaml, name: wide, batch: 4}]\n"
             "schemes: [dense, sr-ste]\nkernel_candidates: 1\nframework: ideal\n"
             "time_to_accuracy:\n  samples_per_epoch: 2000\n  schedule:\n"
             "    - {network: tiny, epochs: 3}\n    - {network: wide, epochs: 1}\n"
             "  trainings: [{scheme: sr-ste, warm_up_epochs: 1}]\n");
  const json parts = parsed()["results"][1]["parts"];
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0]["name"], "warm-up");
  EXPECT_EQ(parts[1]["epochs"], 2);
  EXPECT_EQ(parts[2]["network"], "wide");
  // 1000 steps an epoch with a batch of 2, 500 with 4.
  EXPECT_DOUBLE_EQ(parts[2]["share"], 500.0 / 3500);
}

/// Of four epochs half are sparse: the last two as STEP has it, the first two as FST.
TEST_F(Tta, DenseStepsAreWhereTheSchemesFileSaysTheyAre) {
  for (const bool first : {false, true}) {
    write_text(tiny().path("half.yaml"),
               std::string("name: half\nshare_of_training: 0.5\ndense_steps: ") +
                   (first ? "first" : "last") +
                   "\nforward: {tensor: weight, axis: c_in, pattern: \"2:4\"}\n");
    with("  samples_per_epoch: 2000\n  epochs: 4\n  target: 90\n  curves: '{scheme}_*.csv'\n");
    file("half_1.csv", "epoch,acc\n1,50\n3,90\n4,91\n");
    const json half = parsed({"--set", "schemes=[dense, ./half.yaml]"})["results"][1];
    ASSERT_EQ(half["parts"].size(), 2U);
    EXPECT_EQ(half["parts"][0]["name"], first ? "dense" : "sparse");
    EXPECT_EQ(half["parts"][0]["share"], 0.5);
    const double dense_ms = half["parts"][first ? 0U : 1U]["step_ms"];
    const double sparse_ms = half["parts"][first ? 1U : 0U]["step_ms"];
    EXPECT_EQ(half["step_ms"]["sparse"], sparse_ms);
    EXPECT_NE(sparse_ms, dense_ms);
    EXPECT_DOUBLE_EQ(half["step_ms"]["mean"], (sparse_ms + dense_ms) / 2);
    // Three epochs of 1000 steps: two of the first kind, one of the second.
    const double ms =
        first ? 2000 * dense_ms + 1000 * sparse_ms : 2000 * sparse_ms + 1000 * dense_ms;
    EXPECT_NEAR(half["hours"]["mean"], ms / 3.6e6, 1e-12);
  }
}

/// Four epochs, of which the first two are dense.
TEST_F(Tta, ADenseTrainingBeforeMayBeInTheCurves) {
  with(
      "  samples_per_epoch: 2000\n  epochs: 4\n  target: 90\n  curves: '{scheme}_*.csv'\n"
      "  trainings: [{scheme: asp, curves_have_dense: true}]\n");
  file("asp_1.csv", "epoch,acc\n1,50\n3,90\n4,91\n");
  const json asp = parsed()["results"][1];
  const double dense_ms = asp["parts"][0]["step_ms"];
  const double sparse_ms = asp["parts"][1]["step_ms"];
  EXPECT_EQ(asp["parts"][0]["epochs"], 2);
  EXPECT_NEAR(asp["hours"]["mean"], (2000 * dense_ms + 1000 * sparse_ms) / 3.6e6, 1e-12);
  EXPECT_NEAR(asp["training_hours"], 2000 * (dense_ms + sparse_ms) / 3.6e6, 1e-12);
  EXPECT_THAT(error("  samples_per_epoch: 5\n"
                    "  trainings: [{scheme: dense, curves_have_dense: true}]\n"),
              HasSubstr("'curves_have_dense' of dense has no effect"));
}

/// Two dense trainings with other optimizers, and a scheme that is held against the second.
TEST_F(Tta, ASchemeMayBeComparedWithAnotherThanDense) {
  with(std::string(kWithCurves) +
       "  trainings: [{scheme: sr-ste, against: adam}]\n"
       "  compare: [{scheme: sr-ste, against: adam, claim: as good}]\n");
  for (const int seed : {1, 2, 3, 4}) {
    file(fmt::format("dense_{}.csv", seed), "epoch,acc\n1,95\n2,99\n");
    file(fmt::format("adam_{}.csv", seed), "epoch,acc\n1,50\n2,90\n");
    file(fmt::format("sr-ste_{}.csv", seed), "epoch,acc\n1,50\n2,92\n");
  }
  const json result = parsed({"--set", "schemes=[dense, {extends: dense, name: adam}, sr-ste]"});
  const json& adam = result["results"][1];
  const json& scheme = result["results"][2];
  EXPECT_EQ(adam["verdict"], "slower");
  EXPECT_EQ(adam["parts"][0]["name"], "dense");
  EXPECT_EQ(adam["step_ms"], result["results"][0]["step_ms"]);
  EXPECT_EQ(scheme["against"], "adam");
  EXPECT_NEAR(scheme["speedup"]["value"],
              adam["step_ms"]["mean"].get<double>() / scheme["step_ms"]["mean"].get<double>(),
              1e-12);
  EXPECT_DOUBLE_EQ(scheme["final_against"]["difference"], 2);
  EXPECT_EQ(result["orderings"][0]["claim"], "as good");
  EXPECT_DOUBLE_EQ(result["orderings"][0]["final"]["difference"], 2);
  EXPECT_DOUBLE_EQ(result["orderings"][0]["final"]["p_value"], 2.0 / 70);
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: asp, against: adan}]\n"),
              HasSubstr("'against' is 'adan', must be one of the experiment's 'schemes'"));
}

TEST_F(Tta, PublishedRunsStandInPlaceOfCurves) {
  with(
      "  samples_per_epoch: 2000\n"
      "  trainings: [{scheme: dense, published_runs: {network: resnet50, batch: 3264}}]\n");
  const json result = parsed();
  const json& dense = result["results"][0];
  EXPECT_EQ(result["question"]["target"], 0.759);
  EXPECT_EQ(dense["to_target"]["runs"], 16);
  EXPECT_EQ(dense["to_target"]["over"], "epochs");
  EXPECT_EQ(dense["final"], nullptr);
  EXPECT_NE(dense["hours"]["interval"], nullptr);
  EXPECT_EQ(result["results"][1]["verdict"], "unknown");
  EXPECT_THAT(run({"--target", "0.5"}).err, HasSubstr("the target must be 0.759"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: dense, published_runs: "
                    "{network: resnet50, batch: 3}}]\n"),
              HasSubstr("no run of resnet50 with a batch of 3"));
}

TEST_F(Tta, SameInputSameBytesWithAnyNumberOfJobs) {
  for (const char* const format : {"table", "json", "csv", "markdown"}) {
    EXPECT_EQ(run({"--format", format, "--jobs", "1"}).out,
              run({"--format", format, "--jobs", "2"}).out);
  }
}

TEST_F(Tta, CsvHasALinePerResult) {
  const std::string csv = run({"--format", "csv"}).out;
  EXPECT_THAT(csv, StartsWith("machine,scheme,runs,reached,predicted,to_target,step_ms,hours,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST_F(Tta, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(error("  samples_per_epoch: 0\n"),
            "mine.yaml:9:22: error: 'samples_per_epoch' is '0', must be a number above 0 and up to "
            "1000000000000000\n");
  EXPECT_THAT(error("  samples_per_epochs: 5\n"),
              HasSubstr("mine.yaml:9:3: error: unknown key 'samples_per_epochs'"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: aps}]\n"),
              HasSubstr("'scheme' is 'aps', must be one of the experiment's 'schemes'; did you "
                        "mean 'asp'?"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: asp}, {scheme: asp}]\n"),
              HasSubstr("'asp' is in 'trainings' twice"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: asp, curves: no*.csv}]\n"),
              HasSubstr("mine.yaml:10:37: error: 'curves' is 'no*.csv', which no file matches"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  epochs: 3\n"
                    "  schedule: [{network: tiny, epochs: 4}]\n"),
              HasSubstr("'epochs' is 3, but those of 'schedule' are 4, must be equal"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  trainings: [{scheme: asp, warm_up_epochs: 1}]\n"),
              HasSubstr("'epochs' is missing"));
  EXPECT_THAT(error("  samples_per_epoch: 5\n  compare: [{scheme: asp, against: dense, "
                    "published_less_time: 0.2}]\n"),
              HasSubstr("'source' is missing"));
}

/// A fifth less time, or 1.2 times as fast.
TEST_F(Tta, APublishedSavingIsReadBothWays) {
  with(
      "  samples_per_epoch: 5\n  compare: [{scheme: asp, against: dense, published_less_time: 0.2, "
      "source: s}]\n");
  const double ratio = parsed()["comparisons"][0]["step_ratio"];
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr(fmt::format("it takes {} times the epochs of dense",
                                          format_significant(0.8 * ratio))));
  EXPECT_THAT(text, HasSubstr(fmt::format("Read as 1.20x as fast, {} times",
                                          format_significant(ratio / 1.2))));
}

TEST_F(Tta, OptionsThatWouldHaveNoEffectAreMistakes) {
  EXPECT_THAT(run({"--budget", "2h"}).err, HasSubstr("--budget has no effect"));
  EXPECT_THAT(run({"--target", "2"}).err, HasSubstr("--target has no effect"));
}

TEST_F(Tta, AnExperimentWithoutTheMapOrWithoutDenseIsRefused) {
  const ProgramResult none = run_stcsim({"tta", tiny().file()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("'time_to_accuracy' is missing, must be a map"));
  EXPECT_THAT(run({"--set", "schemes=[asp]"}).err, HasSubstr("'schemes' has no 'dense'"));
  EXPECT_THAT(run({"--set", "phases=[forward]"}).err, HasSubstr("'phases' must be all of"));
}

}  // namespace
}  // namespace stcsim
