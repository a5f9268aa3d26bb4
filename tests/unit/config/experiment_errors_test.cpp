#include <gtest/gtest.h>

#include "tests/unit/config/experiment_folder.hpp"

namespace stcsim {
namespace {

using ExperimentErrors = ExperimentFolder;

TEST_F(ExperimentErrors, PointsAtOverridesThatAreWrong) {
  EXPECT_EQ(error_in(kExperiment, {"networks.0.bacth=32"}),
            "--set networks.0.bacth=32: error: unknown key 'bacth'; did you mean 'batch'?");
  EXPECT_EQ(error_in(kExperiment, {"machines.0.accelerator.num_sms=none"}),
            "--set machines.0.accelerator.num_sms=none: error: 'num_sms' is 'none', must be a "
            "whole number from 1 to 4096");
  EXPECT_EQ(error_in(kExperiment, {"dtyp=int8"}),
            "--set dtyp=int8: error: unknown key 'dtyp'; did you mean 'dtype'?");
  EXPECT_EQ(error_in(kExperiment, {"machines=[huge]"}),
            "--set machines=[huge]: error: unknown machine 'huge', must be a path or a shipped one "
            "such as tiny ('stcsim list arch' shows all)");
}

TEST_F(ExperimentErrors, ReportsErrorsInTheFileThatHasThem) {
  folder_.write("networks/bad.yaml", replaced(kSampleNetwork, "in_features: 64", "in_features: 0"));
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [net, bad]\nschemes: [half]\n"),
            "networks/bad.yaml:4:43: error: 'in_features' is '0', must be a whole number of at "
            "least 1");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [nett]\nschemes: [half]\n"),
            "e/x.yaml:2:12: error: unknown network 'nett', must be a path or a shipped one such as "
            "net, bad ('stcsim list workloads' shows all)");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [./no.csv]\nschemes: [half]\n"),
            "e/x.yaml:2:12: error: network file 'e/no.csv' does not exist");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [{name: net, layer: 3}]\nschemes: [half]\n"),
            "e/x.yaml:2:24: error: unknown key 'layer'; did you mean 'layers'?");
}

TEST_F(ExperimentErrors, RefusesIncompleteAndRepeatedEntries) {
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [net]\n"),
            "e/x.yaml:1:1: error: 'schemes' is missing");
  EXPECT_EQ(error_in("machines: tiny\nnetworks: [net]\nschemes: [half]\n"),
            "e/x.yaml:1:11: error: 'machines' is 'tiny', must be a list");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: []\nschemes: [half]\n"),
            "e/x.yaml:2:11: error: 'networks' is an empty list, must name one");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [{batch: 3}]\nschemes: [half]\n"),
            "e/x.yaml:2:12: error: 'name' or 'extends' is missing");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [5]\nschemes: [half]\n"),
            "e/x.yaml:2:12: error: 'name' is '5', must be a text: put it in quotes");
  EXPECT_EQ(error_in("machines: [tiny, {name: tiny, clock_mhz: 7}]\nnetworks: [net]\n"
                     "schemes: [half]\n"),
            "arch/tiny.yaml:1:7: error: 'tiny' is in 'machines' twice, must have a name of its "
            "own");
  EXPECT_EQ(error_in("machines: [{extends: tiny}]\nnetworks: [net]\nschemes: [half]\n"),
            "e/x.yaml:1:12: error: 'name' is missing");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [net]\nschemes: [{name: dense, pattern: 2:8}]\n"),
            "e/x.yaml:3:34: error: 'pattern' has nothing to replace: the scheme has no sparse "
            "phase");
  EXPECT_EQ(error_in("machines: [tiny]\nnetworks: [net]\nschemes: [{name: half, pattern: 8:2}]\n"),
            "e/x.yaml:3:33: error: 'pattern' is '8:2', must be \"n:m\" with 1 <= n <= m <= 128, "
            "\"n:m pairs\" with both even, \"n:mxn:m\" of blocks, \"V:2:m\" with m from 4, \"n:m "
            "outputs\", or dense");
}

TEST_F(ExperimentErrors, RefusesWhatTheMachinesCannotRun) {
  EXPECT_EQ(
      error_in(kExperiment + "dtype: tf32\n"),
      "e/x.yaml:4:8: error: machine 'tiny' does not multiply tf32, must be one of fp16, int8");
  EXPECT_EQ(error_in(kExperiment + "kernel: dens\n"),
            "e/x.yaml:4:9: error: machine 'tiny' has no kernel 'dens', must be auto or one of its "
            "'kernels'; did you mean 'dense'?");
  EXPECT_EQ(error_in(kExperiment + "phases: [dgrad, backward]\n"),
            "e/x.yaml:4:9: error: 'phases' has 'dgrad' twice");
  EXPECT_EQ(error_in(kExperiment + "phases: [dgrad, inferense]\n"),
            "e/x.yaml:4:17: error: 'phases' has 'inferense', must be forward, dgrad, wgrad (or "
            "fprop, backward, update) or inference; did you mean 'inference'?");
  EXPECT_EQ(error_in(kExperiment + "phases: []\n"),
            "e/x.yaml:4:9: error: 'phases' is an empty list, must name one");
  EXPECT_EQ(error_in(kExperiment + "kernel: dense\nkernel_candidates: 2\n"),
            "e/x.yaml:5:20: error: 'kernel_candidates' has no effect with 'kernel: "
            "dense', only with 'kernel: auto'; leave one of them out");
  EXPECT_EQ(error_in(kExperiment + "stack: best\nkernel: dense\n"),
            "e/x.yaml:4:8: error: 'stack' has no effect with 'kernel: dense', only "
            "with 'kernel: auto'; leave one of them out");
  EXPECT_EQ(error_in(kExperiment + "kernel_candidates: 0\n"),
            "e/x.yaml:4:20: error: 'kernel_candidates' is '0', must be a whole number from 1 to "
            "1000");
}

}  // namespace
}  // namespace stcsim
