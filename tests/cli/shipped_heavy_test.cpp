#include <chrono>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/io/yaml_merge.hpp"
#include "sim/sweep/space.hpp"
#include "sim/sweep/sweep_plan.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/study_check.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

/// With other software a study is simulated once more for each: ShippedMachines has that.
constexpr const char* kNoSpread = "--no-spread";

/// Runs an experiment with every automatic choice cut to one candidate and returns its JSON.
nlohmann::json run_study(const std::string& text, const std::vector<std::string>& words) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "study.yaml";
  write_text(file, "kernel_candidates: 1\n" + text);
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  std::vector<std::string> arguments{"run", file.string(), "--jobs", "auto", "--format", "json"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const ProgramResult result = run_stcsim(arguments, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

/// All but those that differ from opt_2_7b in their numbers only; `make soak` runs all
/// (memory_soak_test.cpp).
std::vector<std::string> different_networks() {
  std::vector<std::string> names = shipped("networks");
  std::erase_if(names, [](const std::string& name) {
    return name == "opt_6_7b" || name == "opt_13b" || name == "opt_30b" || name == "opt_66b";
  });
  return names;
}

class ShippedNetwork : public testing::TestWithParam<std::string> {};

TEST_P(ShippedNetwork, TrainingStepOfOneSampleRunsDenseAndSparse) {
  expect_complete(run_study("machines: [a100]\nnetworks: [{name: " + GetParam() +
                                ", batch: 1}]\nschemes: [dense, transposable-2-4]\n",
                            {kNoSpread}));
}
INSTANTIATE_TEST_SUITE_P(All, ShippedNetwork, testing::ValuesIn(different_networks()),
                         [](const auto& shipped_name) { return shipped_name.param; });

TEST(ShippedSchemes, AllRunOnAConvolutionalNetworkAndATransformer) {
  std::string names;
  for (const std::string& name : shipped("schemes")) names += (names.empty() ? "" : ", ") + name;
  const nlohmann::json study = run_study(
      "machines: [a100]\n"
      "networks: [{name: resnet9_cifar10, batch: 4}, {name: bert_base_s128, batch: 1}]\n"
      "schemes: [" +
          names + "]\n",
      {kNoSpread});
  expect_complete(study);
  EXPECT_EQ(study.at("totals").size(), 2 * shipped("schemes").size());
}

TEST(ShippedMachines, AllRunATrainingStep) {
  std::string names;
  for (const std::string& name : shipped("arch")) names += (names.empty() ? "" : ", ") + name;
  const nlohmann::json study = run_study(
      "machines: [" + names +
          "]\nnetworks: [{name: resnet9_cifar10, batch: 4}, {name: tiny_transformer, batch: 1}]\n"
          "schemes: [dense, asp, {name: sdgp, pattern: \"1:8\"}, s-ste]\n",
      {});
  expect_complete(study);
  EXPECT_EQ(study.at("totals").size(), 8 * shipped("arch").size());
}

TEST(SweepPlan, ShippedSpacesHavePoints) {
  // Three widths of SDGP's eleven patterns, and of the seven that own Transformers trained with;
  // attention of five lengths on three machines against two kernels, and with ten epilogues.
  const std::map<std::string, std::size_t> counted{{"ten_thousand", 10'000},
                                                   {"pays_resnet9", 33},
                                                   {"pays_bert_large", 21},
                                                   {"dfss", 30},
                                                   {"spcompress", 300}};
  for (const CatalogEntry& entry : list_configs(ConfigKind::space)) {
    const SweepPlan plan = plan_sweep(load_space(entry.name));
    EXPECT_EQ(plan.space.name, entry.name);
    const YamlNode space = load_config(ConfigKind::space, entry.path).root;
    EXPECT_NE(space.find("description"), nullptr) << entry.name;
    if (const auto found = counted.find(entry.name); found != counted.end()) {
      EXPECT_EQ(plan.points.size(), found->second) << entry.name;
    } else {
      EXPECT_GE(plan.points.size(), 50U) << entry.name;
    }
  }
}

/// Lines of a table that is too wide go on in the next one, which nobody can read.
TEST(TimeToAccuracy, TablesFitEightyColumns) {
  const ProgramResult result =
      run_stcsim({"tta", "tta_resnet50"}, {.environment = {{"COLUMNS", "80"}}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  int heads = 0;
  bool has_table = false;
  while (std::getline(lines, line) && !line.starts_with("---")) ++heads;
  for (; std::getline(lines, line) && !line.empty();) {
    EXPECT_LE(display_width(line), 80U) << line;
    EXPECT_FALSE(line.starts_with(" ")) << line;
    has_table = has_table || line.starts_with("transposable-2-4 ");
  }
  EXPECT_TRUE(has_table) << result.out;
  // The answer, of six lines at most, a place, two empty lines, and the header in two.
  EXPECT_LE(heads, 6 + 3 + 2) << result.out;
}

/// All but those whose schemes are among those of ShippedSchemes, on few machines, or those of
/// tta_gpt2_124m with a larger network; `make soak` runs all (memory_soak_test.cpp).
std::vector<std::string> different_experiments() {
  std::vector<std::string> names = shipped("experiments");
  std::erase_if(names, [](const std::string& name) {
    const bool is_larger = name.starts_with("tta_gpt2_") || name == "tta_llama3_1b";
    return name == "schemes" || name == "tta_images" || name == "tta_text" ||
           (is_larger && name != "tta_gpt2_124m");
  });
  return names;
}

class ShippedExperiment : public testing::TestWithParam<std::string> {};

TEST_P(ShippedExperiment, RunsWithSmallBatches) {
  const ProgramResult shown = run_stcsim({"list", "experiment", GetParam(), "--format", "json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const auto networks = nlohmann::json::parse(shown.out).at("networks").size();
  std::vector<std::string> arguments{"run",    GetParam(), "--format", "json",
                                     "--jobs", "auto",     "--set",    "kernel_candidates=1",
                                     kNoSpread};
  for (std::size_t at = 0; at < networks; ++at) {
    arguments.insert(arguments.end(), {"--set", "networks." + std::to_string(at) + ".batch=1"});
  }
  ProgramOptions options;
  options.time_limit = std::chrono::seconds(280);
  const ProgramResult result = run_stcsim(arguments, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_complete(nlohmann::json::parse(result.out));
}
INSTANTIATE_TEST_SUITE_P(All, ShippedExperiment, testing::ValuesIn(different_experiments()),
                         [](const auto& shipped_name) { return shipped_name.param; });

}  // namespace
}  // namespace stcsim
