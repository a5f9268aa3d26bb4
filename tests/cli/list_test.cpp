#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

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
            "arch         machines; also: stcsim list machines; one: list machine NAME\n"
            "libraries    kernels, libraries and stacks that machine files name\n"
            "workloads    networks; also: stcsim list networks\n"
            "schemes      ways of training with n:m sparsity; one: list scheme NAME\n"
            "frameworks   whose kernels run beside the matrix products\n"
            "experiments  experiments for 'stcsim run'; one: list experiment NAME\n"
            "spaces       machines and work to sweep over, for 'stcsim sweep'\n"
            "costs        energies and areas, for 'stcsim gemm --energy'\n"
            "systems      several GPUs and their links, for 'stcsim run --system'\n"
            "papers       publications, for 'stcsim evidence papers'\n"
            "models       model types whose config.json is read as a network\n"
            "layers       layers and GEMMs of a network (layers NETWORK)\n"
            "kernels      GEMM kernels of a machine (--arch)\n"
            "fields       keys of a kind of file (--kind)\n"
            "schema       JSON Schema of a kind of file (schema KIND)\n"
            "units        block diagram of a machine (--arch)\n"
            "yaml         a YAML file as the program reads it, in JSON (yaml FILE)\n"
            "profile      what ran on the GPU in a PyTorch profile's step, in JSON (profile "
            "FILE)\n");
}

TEST(List, KindsHaveOtherWordsInAnyCase) {
  EXPECT_EQ(run_stcsim({"list", "machines"}).out, run_stcsim({"list", "arch"}).out);
  EXPECT_EQ(run_stcsim({"list", "Networks"}).out, run_stcsim({"list", "workloads"}).out);
  EXPECT_EQ(run_stcsim({"list", "kernels", "--arch", "A100"}).out,
            run_stcsim({"list", "kernels", "--arch", "a100"}).out);
}

/// As its file and the publication have it.
TEST(ListScheme, SaysWhatItPrunesWhereAndByWhom) {
  const ProgramResult slope = run_stcsim({"list", "scheme", "slope"});
  EXPECT_EQ(slope.exit_code, 0) << slope.err;
  EXPECT_EQ(slope.out, R"(slope: Fixed 2:4 weights, pruned a second time along C_out for dgrad
by Mozaffari et al., "SLoPe: Double-Pruned Sparse Plus Lazy Low-Rank Adapter Pretraining of LLMs",
  ICLR 2025

layers: linear; attention, ffn
product  prunes   groups along     pattern  how    chosen
-------  -------  ---------------  -------  -----  ---------------
forward  weights  input channels   2:4      slope  once
dgrad    weights  output channels  2:4      slope  every 100 steps
wgrad    nothing  -                dense    -      -

slope: double pruning: what is left along one axis, once more along the other
sparse in all steps of a training
only kept weights are updated and have optimizer states
next: stcsim run --network bert_base_s384 --arch a100 --schemes slope
)");
}

TEST(ListScheme, OfEveryShippedOneNamesItsPublication) {
  for (const std::string& name : first_words(lines_of(run_stcsim({"list", "schemes"}).out))) {
    if (name.empty() || name == "dense") continue;
    SCOPED_TRACE(name);
    const ProgramResult result = run_stcsim({"list", "scheme", name});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::StartsWith(name + ": "));
    EXPECT_THAT(result.out, HasSubstr("\nby "));
    EXPECT_THAT(result.out, HasSubstr("\nlayers: "));
  }
}

TEST(ListScheme, PrintsTheFileWithEveryDefault) {
  const auto scheme = nlohmann::json::parse(
      run_stcsim({"list", "scheme", "sdgp", "--set", "dgrad.pattern=1:4", "--format", "json"}).out);
  EXPECT_EQ(scheme["dgrad"]["pattern"], "1:4");
  EXPECT_EQ(scheme["share_of_training"], 1.0);
  EXPECT_THAT(run_stcsim({"list", "scheme", "slop"}).err, HasSubstr("such as slope, "));
  EXPECT_THAT(run_stcsim({"list", "scheme"}).err, HasSubstr("SCHEME is missing"));
  EXPECT_THAT(run_stcsim({"list", "schemes", "slope"}).err,
              HasSubstr("did you mean 'stcsim list scheme slope'?"));
}

TEST(List, LayersOfANetworkWithTheirGemms) {
  const TinyExperiment tiny;
  const ProgramResult table = run_stcsim({"list", "layers", tiny.path("net.yaml"), "--batch", "4"});
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, testing::StartsWith("tiny: 2 layers, 16,384 parameters"));
  EXPECT_THAT(table.out,
              testing::HasSubstr("\nsecond      linear  forward            64  256  128"));
  const ProgramResult csv =
      run_stcsim({"list", "layers", tiny.path("net.yaml"), "--format", "csv"});
  EXPECT_THAT(csv.out, testing::HasSubstr("\r\ntiny,second,linear,body,1,8192,wgrad,0,64,128,128,1,"
                                          "1048576\r\n"));
  const ProgramResult json = run_stcsim({"list", "layers", "ResNet50", "--format", "json"});
  EXPECT_THAT(json.out, testing::HasSubstr("\"parameters\": 25557032,"));
}

TEST(List, HasAJsonAndACsvFormOfEveryKind) {
  const TemporaryDirectory configs;
  std::filesystem::create_directory(configs.path() / "experiments");
  write_text(configs.path() / "experiments/mine.yaml", "description: my, own\n");
  const ProgramOptions there{.environment = {{"STCSIM_CONFIG_DIR", configs.path().string()}}};
  EXPECT_EQ(run_stcsim({"list", "experiments", "--format", "csv"}, there).out,
            "name,description\r\nmine,\"my, own\"\r\n");
  EXPECT_EQ(run_stcsim({"list", "experiments", "--format", "json"}, there).out,
            std::string("{\n  \"schema\": \"stcsim.list/1\",\n  \"version\": \"") + STCSIM_VERSION +
                "\",\n  \"kind\": \"experiments\",\n  \"entries\": [\n    " +
                R"({"name":"mine","description":"my, own"})" + "\n  ]\n}\n");
}

/// The tables themselves and the schema are pinned where they are made (tests/unit/config).
TEST(List, FieldsNamesTheKeysOfAMachineFile) {
  const std::vector<std::string> lines = lines_of(run_stcsim({"list", "fields"}).out);
  EXPECT_THAT(first_words(lines), testing::Contains("accelerator.dram.bytes_per_clk"));
  const ProgramResult tables = run_stcsim({"list", "fields", "--format", "markdown"});
  EXPECT_EQ(tables.exit_code, 0);
  EXPECT_THAT(tables.out,
              testing::HasSubstr("| `accelerator.dram.bytes_per_clk` | bytes/clk | required |"));
  const ProgramResult schema = run_stcsim({"list", "fields", "--format", "schema"});
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_THAT(schema.out, testing::StartsWith("{\n  \"$schema\": "));
  EXPECT_EQ(run_stcsim({"list", "schema", "machine"}).out, schema.out);
}

TEST(List, FieldsAndSchemasAreOfEveryKindOfFile) {
  EXPECT_THAT(run_stcsim({"list", "fields", "--kind", "machine"}).out,
              testing::Eq(run_stcsim({"list", "fields"}).out));
  EXPECT_THAT(run_stcsim({"list", "fields", "--kind", "scheme"}).out,
              testing::HasSubstr("\nforward.pattern"));
  EXPECT_THAT(run_stcsim({"list", "schema", "network"}).out,
              testing::HasSubstr("\"title\": \"A network whose training stcsim simulates\""));
  EXPECT_THAT(run_stcsim({"list", "schema", "netwrok"}).err, testing::HasSubstr("'network'?"));
}

/// The tree of one SM and one sub-core; what helps the simulator is no unit.
TEST(List, UnitsIsTheBlockDiagram) {
  const ProgramResult result = run_stcsim({"list", "units", "--arch", "a100"});
  EXPECT_EQ(result.exit_code, 0);
  std::vector<std::string> names;
  for (const std::string& line : lines_of(result.out)) {
    names.push_back(line.substr(0, line.find("  ", line.find_first_not_of(' '))));
  }
  EXPECT_EQ(names.front(), "accelerator");
  for (const char* name : {"  cta_scheduler", "  l2_cache", "  sm0", "  sm1 … sm107",
                           "    copy_engine", "    sub_core0", "    sub_core1 … sub_core3",
                           "      tensor_core", "        operand_selector"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  EXPECT_THAT(result.out, testing::HasSubstr("    copy_engine"));
  EXPECT_THAT(result.out, testing::HasSubstr("like sm0"));
  EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("router")));
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
  std::vector<std::string> lines = lines_of(result.out);
  for (const std::string& line : lines) {
    EXPECT_NE(line.find("  "), std::string::npos) << line;
    EXPECT_LE(display_width(line), 100U) << line;
  }
  std::erase_if(lines, [](const std::string& line) { return line.front() == ' '; });  // go on
  EXPECT_THAT(first_words(lines), ElementsAreArray(names));
}

TEST(List, FitsThePage) {
  for (const std::vector<std::string>& kind :
       std::vector<std::vector<std::string>>{{"kernels", "--arch", "h100_sxm"},
                                             {"fields"},
                                             {"units", "--arch", "a100"},
                                             {"layers", "bert_large_s128"}}) {
    std::vector<std::string> arguments{"list"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    const ProgramResult result = run_stcsim(arguments);
    EXPECT_EQ(result.exit_code, 0);
    for (const std::string& line : lines_of(result.out)) {
      EXPECT_LE(display_width(line), 100U) << line;
    }
  }
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

/// `make docs` puts it there.
TEST(List, TheTableOfSchemesInTheDocumentationIsThatOfTheShippedFiles) {
  const std::string table = run_stcsim({"list", "schemes", "--format", "markdown"}).out;
  const std::string page =
      read_text(std::filesystem::path(STCSIM_SOURCE_DIR) / "docs/reference/schemes.md");
  const std::string expected =
      "<!-- stcsim list schemes --format markdown -->\n\n" + table + "\n<!-- end -->\n";
  EXPECT_NE(page.find(expected), std::string::npos) << expected;
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
  EXPECT_THAT(run_stcsim({"evidence", "rows", "/no/such"},
                         {.environment = {{"STCSIM_CONFIG_DIR", configs.path().string()}}})
                  .err,
              testing::HasSubstr("'/no/such' does not exist"))
      << "the client is the program's own";
}

/// A line for each mistake of a file, words of other programs with ours.
TEST(List, NamesAllMistakesOfAFile) {
  const TemporaryDirectory directory;
  write_text(
      directory.path() / "net.yaml",
      "name: net\nbatch: 0\noptimizer: adamw\nlayers:\n"
      "  - {name: e, type: embedding, vocab_size: 9, embedding_dim: 4, tokens: 3}\n"
      "  - {name: l, type: linear, in_features: 64, out_features: 64, tokens: 8, role: mlp}\n");
  const ProgramResult result =
      run_stcsim({"list", "layers", "./net.yaml"}, {.working_directory = directory.path()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "net.yaml:2:8: error: 'batch' is '0', must be a whole number of at least 1\n"
            "net.yaml:3:12: error: 'optimizer' is 'adamw': here it is adam\n"
            "net.yaml:5:32: error: unknown key 'vocab_size' in 'layers.0': here it is vocabulary\n"
            "net.yaml:5:47: error: unknown key 'embedding_dim' in 'layers.0': here it is features\n"
            "net.yaml:6:81: error: 'role' is 'mlp': here it is ffn\n");
}

}  // namespace
}  // namespace stcsim
