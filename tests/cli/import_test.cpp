// Models of other programs, from file to figures.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Import : public testing::Test {
 protected:
  Import() {
    write_text(tiny_.path("config.json"),
               R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
                   "vocab_size": 512})");
  }

  /// Layers of a network with their products, but for its name.
  static nlohmann::json layers_of(const std::string& network) {
    const ProgramResult result =
        run_stcsim({"list", "layers", network, "--batch", "2", "--format", "json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    nlohmann::json layers = nlohmann::json::parse(result.out).at("gemms");
    for (nlohmann::json& layer : layers) layer.erase("network");
    return layers;
  }

  TinyExperiment tiny_;
};

TEST_F(Import, TheWrittenNetworkIsTheImportedOne) {
  const ProgramResult result =
      run_stcsim({"import", tiny_.path("config.json"), "--batch", "2", "-o", tiny_.path("n.yaml")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("read as: Hugging Face config, llama: 2 blocks of width 64"));
  EXPECT_THAT(result.out, HasSubstr("assumed: 2048 tokens a sample"));
  EXPECT_EQ(layers_of(tiny_.path("n.yaml")), layers_of(tiny_.path("config.json")));
  const ProgramResult text = run_stcsim({"import", tiny_.path("config.json"), "--batch", "2"});
  EXPECT_EQ(text.out, read_text(tiny_.path("n.yaml")));
  EXPECT_THAT(text.err, StartsWith("stcsim import: read as Hugging Face config"));
}

TEST_F(Import, ARunTakesTheFileAsItIs) {
  const std::string file = tiny_.path("config.json");
  const ProgramResult run = run_stcsim({"run", "--network", file, "--arch", "stc_1024", "--tokens",
                                        "16", "--batch", "2", "--format", "json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("read as Hugging Face config, llama"));
  EXPECT_THAT(run.err, HasSubstr("to edit it: stcsim import " + file));
  EXPECT_EQ(
      run_stcsim({"import", file, "--tokens", "16", "--batch", "2", "-o", tiny_.path("n.yaml")})
          .exit_code,
      0);
  const ProgramResult again = run_stcsim(
      {"run", "--network", tiny_.path("n.yaml"), "--arch", "stc_1024", "--format", "json"});
  const auto cycles_of = [](const ProgramResult& result) {
    std::vector<std::int64_t> cycles;
    const auto json = nlohmann::json::parse(result.out);
    for (const auto& row : json.at("results")) {
      cycles.push_back(row.at("cycles"));
    }
    return cycles;
  };
  EXPECT_EQ(cycles_of(run), cycles_of(again));
}

TEST_F(Import, AFolderIsItsConfiguration) {
  const ProgramResult run = run_stcsim(
      {"list", "experiment", "--network", tiny_.directory().string(), "--arch", "stc_1024"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("shared_by: 2"));
}

/// As every other file: `import <(cat FILE)` and `import - <FILE`.
TEST_F(Import, PipesAndStandardInputAreReadLikeFiles) {
  write_text(tiny_.path("gemms.csv"), "m,n,k,count\n64,32,16,3\n");
  const std::string program = stcsim_program().string();
  const auto in_shell = [&](const std::string& command) {
    const ProgramResult result = run_program("/bin/bash", {"-c", command});
    EXPECT_EQ(result.exit_code, 0) << command << result.err;
    return result.out;
  };
  for (const char* const name : {"gemms.csv", "config.json"}) {
    const std::string file = tiny_.path(name);
    const ProgramResult direct = run_stcsim({"import", file});
    const std::string layers = direct.out.substr(direct.out.find("batch:"));
    for (const std::string& command :
         {program + " import <(cat " + file + ")", program + " import - <" + file,
          "cat " + file + " | " + program + " import -"}) {
      const std::string text = in_shell(command);
      EXPECT_THAT(text, HasSubstr("name: input\n")) << command;
      EXPECT_EQ(text.substr(text.find("batch:")), layers) << command;
    }
  }
  const std::string run = " list experiment --arch stc_1024 --network ";
  const std::string written = in_shell(program + run + tiny_.path("gemms.csv"));
  const std::string piped = in_shell(program + run + "<(cat " + tiny_.path("gemms.csv") + ")");
  const std::size_t network = written.find("networks:");
  const std::size_t name = written.find("    name: gemms");
  EXPECT_THAT(piped, HasSubstr(written.substr(network, name - network) + "    name: input\n" +
                               "    note: \"read as list of 1 GEMM, 3 with their counts\"\n"));
  EXPECT_EQ(run_stcsim({"import", "-"}).exit_code, 2);  // an empty standard input
}

/// Products of activations alone: nothing to update.
TEST_F(Import, ANetworkWithoutParametersRuns) {
  write_text(tiny_.path("n.yaml"),
             "name: n\nbatch: 2\nlayers:\n  - {name: a, type: bmm, m: 16, \"n\": 16, k: 16}\n");
  const ProgramResult run =
      run_stcsim({"run", "--network", tiny_.path("n.yaml"), "--arch", "stc_1024"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("dense step"));
}

TEST_F(Import, AFolderNeedsNoDot) {
  std::filesystem::create_directory(tiny_.path("model"));
  std::filesystem::copy(tiny_.path("config.json"), tiny_.path("model/config.json"));
  ProgramOptions options;
  options.working_directory = tiny_.directory();
  const std::vector<std::string> words{"list",  "experiment", "--network",
                                       "model", "--arch",     "stc_1024"};
  const ProgramResult run = run_stcsim(words, options);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("shared_by: 2"));
}

TEST_F(Import, WhatIsWrongIsOneMessage) {
  write_text(tiny_.path("bad.json"), R"({"model_type": "llama", "hidden_size": -1,
                                         "vocab_size": 1.5})");
  const ProgramResult bad = run_stcsim({"import", tiny_.path("bad.json")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err,
              StartsWith(tiny_.path("bad.json") +
                         ": error: not usable as Hugging Face config: 'hidden_size' is -1"));
  EXPECT_THAT(bad.err, HasSubstr("; 'vocab_size' is 1.5"));
  const ProgramResult tokens =
      run_stcsim({"run", "--network", "resnet18", "--arch", "a100", "--tokens", "3"});
  EXPECT_EQ(tokens.exit_code, 2);
  EXPECT_THAT(tokens.err, HasSubstr("leave out 'tokens' and 'sizes'"));
  const ProgramResult size =
      run_stcsim({"run", "--network", "resnet18", "--arch", "a100", "--size", "batch"});
  EXPECT_THAT(size.err, HasSubstr("--size is 'batch', must be NAME=N"));
  EXPECT_THAT(run_stcsim({"import", tiny_.path("config.json"), "--size", "maskd=20"}).err,
              StartsWith(tiny_.path("config.json") + ": error: it asks for no size 'maskd'"));
}

}  // namespace
}  // namespace stcsim
