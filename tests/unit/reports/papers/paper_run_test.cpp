// A paper's rows are simulated in every column; its sentence also with other software.
#include <set>

#include <gtest/gtest.h>

#include "reports/papers/paper.hpp"
#include "reports/papers/paper_result.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

/// A study that says which software it ran with: a gain of 1.5 with the rule, 1.25 with the search,
/// 1.75 with the best of all kernels.
StudyResult study_of(const Experiment& experiment) {
  StudyTotal total;
  total.machine = experiment.machines.front().name;
  total.network = experiment.networks.front().name;
  total.scheme = "sdgp";
  total.step.cycles = 1;
  total.step.speedup = experiment.stack == "cuda12_search" ? 1.25
                       : experiment.stack == "best"        ? 1.75
                                                           : 1.5;
  StudyResult study;
  study.totals = {total};
  return study;
}

/// What is run of a paper with these columns: machine, network and stack.
class RunPaper : public testing::Test {
 protected:
  PaperResult run(const std::string& columns) {
    const ScratchFolder folder;
    folder.write("p/paper.yaml", R"(title: A paper
source: Somebody, 2025
about: It claims things.
result: "Published {one.1}, counted {one.1.counted}, simulated {one.1.A100}"
figures: [one]
columns:
)" + columns);
    folder.write("p/one.yaml", R"(title: Gains
shows: Gains.
obtained: measured
rows:
  - {says: a, published: 1.5, step: {network: resnet18, scheme: sdgp, quantity: step_gain}}
  - {says: b, step: {network: resnet50, scheme: sdgp, quantity: step_gain}}
)");
    PaperOptions options;
    options.run = [&](const Experiment& experiment) {
      ran.push_back(experiment.machines.front().name + " " + experiment.networks.front().name +
                    " " + experiment.stack);
      return study_of(experiment);
    };
    const Paper paper = load_paper(folder.at("p"));
    PaperResult result = run_paper(paper, options);
    // What is said to be ahead is what is run.
    EXPECT_EQ(most_studies(paper), ran.size());
    return result;
  }

  std::vector<std::string> ran;
};

constexpr const char* kRunColumns =
    "  - {name: counted, machine: ideal, framework: ideal, assumed: true}\n"
    "  - {name: A100, machine: a100, framework: pytorch_eager}\n";
constexpr const char* kOtherSoftware =
    "With other software, 1.50x: with searched kernels 1.25x, best of all kernels 1.75x.";

TEST_F(RunPaper, TheSentencesFiguresAreAlsoAskedOfOtherSoftware) {
  const PaperResult result = run(kRunColumns);
  EXPECT_EQ(sentence_of(result), "Published 1.50x, counted 1.75x, simulated 1.50x");
  EXPECT_EQ(spread_text(result.spread), kOtherSoftware);
  EXPECT_EQ(ran, (std::vector<std::string>{"a100 resnet18 cuda12_rule", "a100 resnet50 cuda12_rule",
                                           "ideal resnet18 best", "ideal resnet50 best",
                                           "a100 resnet18 best", "a100 resnet18 cuda12_search"}))
      << "other software for the sentence's row alone; on the ideal machine there is none";
}

/// Beside a machine that nobody has built the A100 runs the best of all kernels anyway.
TEST_F(RunPaper, WhatAColumnHasIsNotRunOnceMore) {
  const PaperResult result = run(std::string(kRunColumns) +
                                 "  - {name: N:M, machine: a100_nm, framework: pytorch_eager}\n");
  EXPECT_EQ(spread_text(result.spread), kOtherSoftware);
  EXPECT_EQ(ran.size(), 9U) << "four columns of two rows, and the searched kernels";
  EXPECT_EQ(std::set<std::string>(ran.begin(), ran.end()).size(), ran.size());
}

}  // namespace
}  // namespace stcsim
