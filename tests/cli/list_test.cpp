#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::ElementsAreArray;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> first_words(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) words.push_back(line.substr(0, line.find(' ')));
  return words;
}

TEST(List, AloneNamesTheKinds) {
  const ProgramResult result = run_stcsim({"list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "arch         machines\n"
            "workloads    networks\n"
            "schemes      ways of training with n:m sparsity\n"
            "experiments  experiments for 'stcsim run'\n"
            "kernels      GEMM kernels of a machine (--arch)\n"
            "fields       keys of a machine file\n");
}

/// The tables themselves and the schema are pinned where they are made (tests/unit/config).
TEST(List, FieldsNamesTheKeysOfAMachineFile) {
  const std::vector<std::string> lines = lines_of(run_stcsim({"list", "fields"}).out);
  EXPECT_THAT(first_words(lines), testing::Contains("accelerator.dram.bytes_per_clk"));
  const ProgramResult tables = run_stcsim({"list", "fields", "--format", "markdown"});
  EXPECT_EQ(tables.exit_code, 0);
  EXPECT_THAT(tables.out, testing::HasSubstr("| `bytes_per_clk` | bytes/clk | required |"));
  const ProgramResult schema = run_stcsim({"list", "fields", "--format", "schema"});
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_THAT(schema.out, testing::StartsWith("{\n  \"$schema\": "));
}

struct Folder {
  const char* kind;
  const char* folder;
};

class ListOf : public testing::TestWithParam<Folder> {};

TEST_P(ListOf, ShippedFilesHasALineWithADescriptionForEach) {
  std::vector<std::string> names;
  for (const std::string& file :
       files_in(std::filesystem::path(STCSIM_SOURCE_DIR) / "configs" / GetParam().folder)) {
    if (file.ends_with(".yaml")) names.push_back(file.substr(0, file.size() - 5));
  }
  std::sort(names.begin(), names.end());
  const ProgramResult result = run_stcsim({"list", GetParam().kind});
  EXPECT_EQ(result.exit_code, 0);
  const std::vector<std::string> lines = lines_of(result.out);
  EXPECT_THAT(first_words(lines), ElementsAreArray(names));
  for (const std::string& line : lines) EXPECT_NE(line.find("  "), std::string::npos) << line;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ListOf,
                         testing::Values(Folder{"arch", "arch"}, Folder{"workloads", "networks"},
                                         Folder{"schemes", "schemes"},
                                         Folder{"experiments", "experiments"}),
                         [](const auto& folder) { return std::string(folder.param.kind); });

TEST(List, SchemesAsATableSayWhatTheyMakeSparse) {
  const TemporaryDirectory configs;
  std::filesystem::create_directory(configs.path() / "schemes");
  write_text(configs.path() / "schemes/both.yaml",
             "name: both\nshare_of_training: 0.25\n"
             "layers: {types: [conv, linear], roles: [ffn], min_in_channels: 4, rows_multiple_of: "
             "8, reduction_multiple_of: 16}\n"
             "forward: {tensor: weight, axis: c_in, pattern: \"2:4\", dtype: fp8_e4m3}\n"
             "dgrad: {dtype: fp8_e5m2}\n"
             "wgrad: {tensor: output_gradient, axis: tokens, pattern: \"1:2\"}\n");
  write_text(configs.path() / "schemes/dense.yaml", "name: dense\n");
  write_text(configs.path() / "schemes/x.yaml",
             "name: x\nwgrad: {tensor: activation, axis: tokens, pattern: \"1:2\"}\n");
  const ProgramResult result =
      run_stcsim({"list", "schemes", "--format", "markdown"},
                 {.environment = {{"STCSIM_CONFIG_DIR", configs.path().string()}}});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(
      result.out,
      "| scheme | forward | dgrad | wgrad | layers | share of training |\n"
      "|---|---|---|---|---|---:|\n"
      "| both | W 2:4 along c_in, fp8_e4m3 | dense, fp8_e5m2 | dY 1:2 along tokens | conv, "
      "linear; ffn; 4 or more input channels; rows a multiple of 8; input channels a multiple "
      "of 16 | 25.0 % |\n"
      "| dense | dense | dense | dense | - | - |\n"
      "| x | dense | dense | X 1:2 along tokens | all | 100.0 % |\n");
}

/// `make schemes` puts it there.
TEST(List, TheTableOfSchemesInTheReadmeIsThatOfTheShippedFiles) {
  const std::string table = run_stcsim({"list", "schemes", "--format", "markdown"}).out;
  const std::string readme = read_text(std::filesystem::path(STCSIM_SOURCE_DIR) / "README.md");
  const std::string expected = "<!-- schemes: begin -->\n" + table + "<!-- schemes: end -->\n";
  EXPECT_NE(readme.find(expected), std::string::npos) << expected;
}

TEST(List, KernelsOfAMachineFile) {
  const TinyExperiment tiny;
  write_text(
      tiny.path("one.yaml"),
      "extends: a100\nname: one\n"
      "kernels: [{name: big, sparse: false, tile: [128, 64, 32], stages: 3, warps: [2, 4]},\n"
      "  {name: half, sparse: true, tile: [64, 64, 64], stages: 4, warps: [2, 2]}]\n");
  const ProgramResult result = run_stcsim({"list", "kernels", "--arch", tiny.path("one.yaml")});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "big   dense, tile 128x64x32, 3 stages, 2x4 warps\n"
            "half  sparse, tile 64x64x64, 4 stages, 2x2 warps\n");
}

TEST(List, ReadsTheConfigurationsTheEnvironmentNames) {
  const TemporaryDirectory configs;
  std::filesystem::create_directory(configs.path() / "experiments");
  write_text(configs.path() / "experiments/mine.yaml", "description: my own\n");
  const ProgramResult result = run_stcsim(
      {"list", "experiments"}, {.environment = {{"STCSIM_CONFIG_DIR", configs.path().string()}}});
  EXPECT_EQ(result.out, "mine  my own\n");
  EXPECT_EQ(run_stcsim({"list", "arch"},
                       {.environment = {{"STCSIM_CONFIG_DIR", configs.path().string()}}})
                .out,
            "");
  EXPECT_EQ(run_stcsim({"list", "arch"}, {.environment = {{"STCSIM_CONFIG_DIR", "/no/such"}}}).err,
            "stcsim list: error: STCSIM_CONFIG_DIR is '/no/such', must be a directory\n");
}

}  // namespace
}  // namespace stcsim
