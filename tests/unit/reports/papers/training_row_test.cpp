// Rows about whole trainings: steps that somebody simulates, put together.
#include "reports/papers/training_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

class TrainingRowTest : public testing::Test {
 protected:
  [[nodiscard]] TrainingRow row(const std::string& scheme, const std::string& quantity,
                                const std::string& length = "epochs: 36") const {
    folder_.write("training.yaml",
                  "machines: [h100_sxm]\nnetworks: [{name: resnet18, batch: 100}]\n"
                  "schemes: [dense, asp, sr-ste]\n"
                  "time_to_accuracy: {samples_per_epoch: 10000, " +
                      length + "}\n");
    const YamlDocument document =
        parse_yaml("{experiment: " + folder_.at("training.yaml") + ", scheme: " + scheme +
                       ", quantity: " + quantity + "}",
                   "row.yaml");
    MapReader map(document);
    return read_training_row(map);
  }
  [[nodiscard]] static PaperColumn column() {
    PaperColumn column;
    column.name = "here";
    column.machine = "a100";
    column.machine_file = "a100";
    column.framework = "ideal";
    column.framework_file = "ideal";
    return column;
  }

 private:
  ScratchFolder folder_;
};

/// A dense step takes a second, a sparse one half of it.
StudyResult made_up_steps(const Experiment& experiment) {
  StudyResult study;
  for (const Scheme& scheme : experiment.schemes) {
    StudyTotal total;
    total.machine = experiment.machines.at(0).name;
    total.network = experiment.networks.at(0).name;
    total.scheme = scheme.name;
    const double speedup = scheme.name == "dense" ? 1 : 2;
    total.step.time_us = 1e6 / speedup;
    total.step.speedup = speedup;
    total.step.dense_time_us = 1e6;
    total.step_without_work = total.step;
    study.totals.push_back(total);
  }
  return study;
}

/// 36 epochs of 100 steps of a second are an hour; ASP trains dense before, for as long.
TEST_F(TrainingRowTest, PutsStepsTogether) {
  const auto value = [&](const std::string& scheme, const std::string& quantity) {
    return answer_of(row(scheme, quantity), column(), made_up_steps).value().value;
  };
  EXPECT_DOUBLE_EQ(value("dense", "hours"), 1);
  EXPECT_DOUBLE_EQ(value("sr-ste", "hours"), 0.5);
  EXPECT_DOUBLE_EQ(value("sr-ste", "gain"), 2);
  EXPECT_DOUBLE_EQ(value("asp", "gain"), 1 / 1.5);
}

TEST_F(TrainingRowTest, RunsOnTheColumnsMachineAndFramework) {
  PaperColumn assumed = column();
  assumed.assumed = true;
  std::vector<std::string> asked;
  const auto run = [&](const Experiment& experiment) {
    asked.push_back(experiment.machines.at(0).name + " " + experiment.framework.name +
                    (experiment.scheme_work ? " pays" : " free"));
    return made_up_steps(experiment);
  };
  static_cast<void>(answer_of(row("asp", "gain"), column(), run));
  static_cast<void>(answer_of(row("asp", "gain"), assumed, run));
  EXPECT_EQ(asked, (std::vector<std::string>{"a100 ideal pays", "a100 ideal free"}));
}

TEST_F(TrainingRowTest, SaysWhatIsMissing) {
  const auto error = [&](const TrainingRow& wrong) {
    return error_of([&] { static_cast<void>(answer_of(wrong, column(), made_up_steps)); });
  };
  EXPECT_THAT(error(row("sdgp", "hours")), HasSubstr("'schemes' must have dense and 'sdgp'"));
  EXPECT_THAT(error(row("asp", "hours", "devices: 2")), HasSubstr("('epochs')"));
  const auto failing = [](const Experiment& experiment) {
    StudyResult study = made_up_steps(experiment);
    study.failures = {"conv1: why"};
    return study;
  };
  EXPECT_FALSE(answer_of(row("asp", "hours"), column(), failing));
}

}  // namespace
}  // namespace stcsim
