#include "sim/config/experiment_config.hpp"

#include <gtest/gtest.h>

#include "common/io/sha256.hpp"
#include "tests/unit/config/experiment_folder.hpp"

namespace stcsim {
namespace {

using ExperimentConfig = ExperimentFolder;

TEST_F(ExperimentConfig, FillsInDefaults) {
  const Experiment experiment = load(kExperiment);
  ASSERT_EQ(experiment.machines.size(), 1U);
  EXPECT_EQ(experiment.machines[0].name, "tiny");
  EXPECT_EQ(experiment.machines[0].config.accelerator.num_sms, 2);
  ASSERT_EQ(experiment.networks.size(), 1U);
  EXPECT_EQ(experiment.networks[0].batch, 4);
  ASSERT_EQ(experiment.schemes.size(), 1U);
  EXPECT_EQ(experiment.schemes[0].name, "half");
  EXPECT_EQ(experiment.phases, (std::vector<Phase>{Phase::forward, Phase::dgrad, Phase::wgrad}));
  EXPECT_EQ(experiment.dtype, DataType::fp16);
  EXPECT_EQ(experiment.kernel, "auto");
  EXPECT_FALSE(experiment.kernel_candidates);
  EXPECT_TRUE(experiment.stream_kernels);
}

TEST_F(ExperimentConfig, ReadsEveryKey) {
  const Experiment experiment =
      load(kExperiment +
           "description: A test\nphases: [wgrad, forward]\ndtype: int8\nkernel: auto\n"
           "kernel_candidates: 7\nstream_kernels: false\n");
  EXPECT_EQ(experiment.phases, (std::vector<Phase>{Phase::wgrad, Phase::forward}));
  EXPECT_EQ(experiment.dtype, DataType::int8);
  EXPECT_EQ(experiment.kernel, "auto");
  EXPECT_EQ(experiment.kernel_candidates, 7);
  EXPECT_FALSE(experiment.stream_kernels);
}

/// How the automatic choice is made is settled by the name of a kernel, if that replaces it.
TEST_F(ExperimentConfig, AKernelThatIsSetReplacesTheChoice) {
  const std::string file = kExperiment + "kernel_candidates: 7\nstack: best\n";
  const Experiment set = load(file, {"kernel=dense"});
  EXPECT_EQ(set.kernel, "dense");
  EXPECT_FALSE(set.kernel_candidates);
  EXPECT_EQ(set.stack, "");
  EXPECT_EQ(set.config_hash, load(kExperiment + "kernel: dense\n").config_hash);
  EXPECT_THROW(load(file, {"kernel=dense", "kernel_candidates=3"}), ConfigError);
  EXPECT_THROW(load(kExperiment + "kernel: dense\n", {"stack=best"}), ConfigError);
}

TEST_F(ExperimentConfig, KnowsPhasesByTheirNamesInPublications) {
  EXPECT_EQ(load(kExperiment + "phases: [Forward, backward, Update]\n").config_hash,
            load(kExperiment).config_hash);
  EXPECT_EQ(load(kExperiment + "phases: [fprop, wgrad]\n").phases,
            (std::vector<Phase>{Phase::forward, Phase::wgrad}));
}

/// Beside the phases of the training step or alone, and read back as it was.
TEST_F(ExperimentConfig, InferenceIsNoPhaseOfTheTrainingStep) {
  EXPECT_FALSE(load(kExperiment).inference);
  const Experiment alone = load(kExperiment + "phases: [inference]\n");
  EXPECT_TRUE(alone.inference);
  EXPECT_TRUE(alone.phases.empty());
  const Experiment both = load(kExperiment + "phases: [Inference, dgrad]\n");
  EXPECT_TRUE(both.inference);
  EXPECT_EQ(both.phases, std::vector<Phase>{Phase::dgrad});
  for (const Experiment& experiment : {alone, both}) {
    const Experiment again = parse_resolved_experiment(experiment.resolved_config, "again");
    EXPECT_EQ(again.resolved_config, experiment.resolved_config);
    EXPECT_EQ(again.inference, experiment.inference);
    EXPECT_EQ(again.phases, experiment.phases);
  }
}

TEST_F(ExperimentConfig, MergesTheKeysOfAnEntryOverItsFile) {
  const Experiment experiment = load(
      "machines: [{name: tiny, accelerator: {num_sms: 5, dram: {channels: 9}}}]\n"
      "networks: [{name: net, batch: 64}]\nschemes: [{name: half, share_of_training: 0.5}]\n");
  EXPECT_EQ(experiment.machines[0].name, "tiny");
  EXPECT_EQ(experiment.machines[0].config.accelerator.num_sms, 5);
  EXPECT_EQ(experiment.machines[0].config.accelerator.dram.channels, 9);
  EXPECT_EQ(experiment.machines[0].config.accelerator.dram.bytes_per_clk, 100);
  EXPECT_EQ(experiment.networks[0].batch, 64);
  EXPECT_EQ(experiment.schemes[0].share_of_training, 0.5);
}

TEST_F(ExperimentConfig, NamesVariantsThatExtendOthers) {
  const Experiment experiment = load(
      "machines: [tiny, {extends: tiny, name: tiny_fast, clock_mhz: 2000}]\n"
      "networks: [net]\nschemes: [half]\n");
  ASSERT_EQ(experiment.machines.size(), 2U);
  EXPECT_EQ(experiment.machines[1].name, "tiny_fast");
  EXPECT_EQ(experiment.machines[1].config.clock_mhz, 2000);
}

TEST_F(ExperimentConfig, PatternsReplaceThoseOfAllPhasesAndJoinTheName) {
  const Experiment experiment = load(
      "machines: [tiny]\nnetworks: [net]\n"
      "schemes: [half, {name: half, pattern: \"2:8\"}, {name: half, pattern: {n: 1, m: 4}}]\n");
  ASSERT_EQ(experiment.schemes.size(), 3U);
  EXPECT_EQ(experiment.schemes[0].name, "half");
  EXPECT_EQ(experiment.schemes[1].name, "half-2:8");
  EXPECT_EQ(experiment.schemes[2].name, "half-1:4");
  EXPECT_EQ(experiment.schemes[0].rule(Phase::forward).sparsity->pattern, (Pattern{2, 4}));
  EXPECT_EQ(experiment.schemes[1].rule(Phase::forward).sparsity->pattern, (Pattern{2, 8}));
  EXPECT_EQ(experiment.schemes[1].rule(Phase::dgrad).sparsity->pattern, (Pattern{2, 8}));
  EXPECT_EQ(experiment.schemes[1].rule(Phase::dgrad).sparsity->axis, GroupAxis::c_out);
  EXPECT_FALSE(experiment.schemes[1].rule(Phase::wgrad).sparsity);
  EXPECT_EQ(experiment.schemes[2].rule(Phase::dgrad).sparsity->pattern, (Pattern{1, 4}));
}

TEST_F(ExperimentConfig, FindsPathsRelativeToTheFileThatNamesThem) {
  folder_.write("e/mine.yaml", "extends: net\nname: mine\nbatch: 9\n");
  folder_.write("base/b.yaml", "machines: [tiny]\nnetworks: [./here.yaml]\nschemes: [half]\n");
  folder_.write("base/here.yaml", "extends: net\nname: here\n");
  EXPECT_EQ(load("machines: [tiny]\nnetworks: [./mine.yaml]\nschemes: [half]\n").networks[0].batch,
            9);
  EXPECT_EQ(load("extends: ../base/b.yaml\n").networks[0].name, "here");
  EXPECT_EQ(load(kExperiment, {"networks=[" + folder_.at("e/mine.yaml") + "]"}).networks[0].name,
            "mine");
}

TEST_F(ExperimentConfig, ReadsListsOfGemms) {
  folder_.write("e/list.csv", "m,n,k\n8,16,32\n8,4,16\n");
  const Experiment experiment = load(
      "machines: [tiny]\nnetworks: [list.csv, {name: ./list.csv, batch: 3}]\nschemes: [half]\n",
      {"networks.1={extends: net, name: n2}"});
  const Network& network = experiment.networks[0];
  EXPECT_EQ(network.name, "list");
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[0].forward_macs(), 8 * 16 * 32);
  EXPECT_EQ(network.layers[1].forward_macs(), 8 * 4 * 16);
  EXPECT_EQ(load("machines: [tiny]\nnetworks: [{name: ./list.csv, batch: 3}]\nschemes: [half]\n")
                .networks[0]
                .batch,
            3);
}

TEST_F(ExperimentConfig, AppliesOverridesBeforeAnythingIsLookedUp) {
  const Experiment experiment =
      load(kExperiment, {"networks.0.batch=32", "machines.0.accelerator.num_sms=7", "dtype=int8",
                         "schemes.0.pattern=1:8", "machines.0.clock_mhz=99.5"});
  EXPECT_EQ(experiment.networks[0].batch, 32);
  EXPECT_EQ(experiment.machines[0].config.accelerator.num_sms, 7);
  EXPECT_EQ(experiment.machines[0].config.clock_mhz, 99.5);
  EXPECT_EQ(experiment.dtype, DataType::int8);
  EXPECT_EQ(experiment.schemes[0].name, "half-1:8");
}

TEST_F(ExperimentConfig, ResolvedConfigStandsAlone) {
  folder_.write("e/list.csv", "m,n,k\n8,16,32\n");
  const std::string json = load(
                               "machines: [{name: tiny, clock_mhz: 1}]\nnetworks: [net, list.csv]\n"
                               "schemes: [half, {name: half, pattern: 1:4}]\nphases: [dgrad]\n")
                               .resolved_config;
  const EnvironmentVariable nowhere("STCSIM_CONFIG_DIR", "/nowhere");
  const Experiment again = parse_resolved_experiment(json, "golden.json");
  EXPECT_EQ(again.resolved_config, json);
  EXPECT_EQ(again.config_hash, sha256_hex(json));
  EXPECT_EQ(again.machines[0].config.clock_mhz, 1);
  EXPECT_EQ(again.networks[1].layers.size(), 1U);
  EXPECT_EQ(again.schemes[1].name, "half-1:4");
  EXPECT_EQ(again.schemes[1].rule(Phase::forward).sparsity->pattern, (Pattern{1, 4}));
  EXPECT_EQ(again.phases, (std::vector<Phase>{Phase::dgrad}));
}

TEST_F(ExperimentConfig, ResolvedConfigWritesOutEveryDefault) {
  const std::string json = load(kExperiment).resolved_config;
  EXPECT_TRUE(json.starts_with(
      R"({"dtype":"fp16","framework":{"launch":{"host_read_before_optimizer":false,"host_us":0.0,)"
      R"("sparse_product_us":0.0},"layers":{},"name":"pytorch_2_eager","operations":{},"optimizers":{}},)"
      R"("functional":false,"kernel":"auto","machines":[{"accelerator":{)"))
      << json;
  EXPECT_NE(json.find(R"("pattern":"dense")"), std::string::npos) << json;
  EXPECT_TRUE(json.ends_with(
      R"("networks":[{"batch":4,"layers":[{"after":[],"bias":false,"dgrad":true,"in_features":64,)"
      R"("name":"fc","out_features":32,"repeat":1,"role":"body","tied":false,"tokens":1,)"
      R"("type":"linear"}],"name":"net","optimizer":"sgd_momentum","other_parameters":0}],)"
      R"("phases":["forward","dgrad","wgrad"],"pruning_kernels":"separate","scheme_work":true,)"
      R"("schemes":[{"description":"Weights 2:4 in forward and dgrad",)"
      R"("dgrad":{"axis":"c_out","pattern":"2:4","prune":"magnitude","tensor":"weight"},)"
      R"("forward":{"axis":"c_in","pattern":"2:4","prune":"magnitude","tensor":"weight"},)"
      R"("layers":{"min_in_channels":0,"reduction_multiple_of":1,"roles":[],"rows_multiple_of":1,)"
      R"("types":[]},"name":"half","share_of_training":1.0,"wgrad":{}}],"sparse_where":"faster",)"
      R"("stream_kernels":true})"))
      << json;
}

TEST_F(ExperimentConfig, HashChangesWithValuesAndNotWithSpelling) {
  const std::string hash = load(kExperiment).config_hash;
  EXPECT_EQ(load("# comment\nschemes: ['half']\ndtype: fp16\nnetworks:\n  - net\n"
                 "machines:\n  - {name: tiny}\ndescription: other\n")
                .config_hash,
            hash);
  EXPECT_EQ(load(kExperiment, {"networks.0.optimizer=sgd_momentum"}).config_hash, hash);
  EXPECT_NE(load(kExperiment, {"machines.0.accelerator.num_sms=3"}).config_hash, hash);
  EXPECT_NE(load(kExperiment, {"kernel_candidates=4"}).config_hash, hash);
  EXPECT_NE(load(kExperiment, {"networks.0.batch=5"}).config_hash, hash);
}

TEST_F(ExperimentConfig, LoadsSingleConfigurations) {
  EXPECT_EQ(load_machine("tiny").name, "tiny");
  EXPECT_EQ(load_machine("tiny", {"accelerator.num_sms=9"}).config.accelerator.num_sms, 9);
  EXPECT_EQ(load_network(folder_.at("networks/net.yaml"), {"batch=2"}).batch, 2);
  EXPECT_EQ(load_scheme("half").name, "half");
  EXPECT_EQ(error_of([] { (void)load_machine("huge"); }),
            "error: unknown machine 'huge', must be a path or a shipped one such as tiny ('stcsim "
            "list arch' shows all)");
  EXPECT_EQ(error_of([] { (void)load_machine(""); }),
            "error: unknown machine '', must be a path or a shipped one such as tiny ('stcsim list "
            "arch' shows all)");
}

TEST_F(ExperimentConfig, ALockedClockIsReadAndWrittenOut) {
  EXPECT_FALSE(load(kExperiment).clock_mhz);
  const Experiment locked = load(kExperiment + "clock_mhz: 1695\n");
  EXPECT_EQ(locked.clock_mhz, 1695);
  EXPECT_EQ(parse_resolved_experiment(locked.resolved_config, "again").clock_mhz, 1695);
  EXPECT_THROW(load(kExperiment + "clock_mhz: 0\n"), ConfigError);
}

}  // namespace
}  // namespace stcsim
