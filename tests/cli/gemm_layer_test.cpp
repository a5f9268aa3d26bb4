// `gemm --layer`: the GEMM that a study runs, by the layer's name.
#include <algorithm>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

/// Without libraries: what is faster dense runs dense.
constexpr const char* kMachine =
    "extends: a100\nname: two_sms\naccelerator: {num_sms: 2}\nstacks: []\n";
/// A strided convolution, whose dgrad is three GEMMs, and a linear layer.
constexpr const char* kNetwork = R"(name: two
batch: 2
layers:
  - {name: conv, type: conv, in_channels: 64, out_channels: 128, input: [16, 16], kernel: 3, stride: 2, pad: 1}
  - {name: Fc, type: linear, role: ffn, in_features: 128, out_features: 64, tokens: 64}
  - {name: stem, type: linear, in_features: 64, out_features: 64, dgrad: false}
)";
/// Sparse in all phases, in dgrad on the right side of the product.
constexpr const char* kScheme = R"(name: mixed
where: always
forward: {tensor: weight, axis: c_in, pattern: "2:4"}
dgrad: {tensor: output_gradient, axis: c_out, pattern: "2:4", prune: rescaled-magnitude}
wgrad: {tensor: activation, axis: tokens, pattern: "1:4"}
)";

class GemmLayer : public testing::Test {
 protected:
  GemmLayer() {
    write_text(path("arch.yaml"), kMachine);
    write_text(path("net.yaml"), kNetwork);
    write_text(path("mixed.yaml"), kScheme);
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return directory_.path() / name;
  }
  [[nodiscard]] ProgramResult run(const std::vector<std::string>& arguments) const {
    return run_stcsim(arguments, {.working_directory = directory_.path()});
  }
  [[nodiscard]] ProgramResult gemm(std::vector<std::string> more) const {
    more.insert(more.begin(), {"gemm", "--arch", "./arch.yaml"});
    return run(more);
  }
  [[nodiscard]] ordered_json gemm_json(std::vector<std::string> more) const {
    more.insert(more.end(), {"--format", "json"});
    const ProgramResult result = gemm(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return ordered_json::parse(result.out);
  }

  TemporaryDirectory directory_;
};

/// A row of the study, and the sum over the phase's GEMMs, one by one; a study runs those dense
/// that are faster so.
TEST_F(GemmLayer, IsTheGemmOfTheStudy) {
  const ProgramResult study = run({"run", "--network", "./net.yaml", "--arch", "./arch.yaml",
                                   "--schemes", "./mixed.yaml", "--format", "json"});
  ASSERT_EQ(study.exit_code, 0) << study.err;
  const ordered_json json = ordered_json::parse(study.out);
  int compared = 0;
  for (const ordered_json& row : json["results"]) {
    if (row["op"] != "gemm") continue;
    std::int64_t cycles = 0;
    std::int64_t dense_cycles = 0;
    std::vector<std::int64_t> each;
    std::vector<ordered_json> shapes;
    const auto parts = row["gemm_count"].get<std::int64_t>();
    for (std::int64_t part = 1; part <= parts; ++part) {
      std::vector<std::string> arguments{
          "--layer",  "./net.yaml:" + row["layer"].get<std::string>(),
          "--phase",  row["phase"],
          "--scheme", "./mixed.yaml"};
      if (parts > 1) arguments.insert(arguments.end(), {"--part", std::to_string(part)});
      const ordered_json gemm = gemm_json(arguments);
      const auto own = gemm["cycles"].get<std::int64_t>();
      const auto dense =
          gemm["dense_cycles"].is_null() ? own : gemm["dense_cycles"].get<std::int64_t>();
      each.push_back(std::min(own, dense));
      cycles += each.back();
      dense_cycles += dense;
      shapes.push_back({gemm["m"], gemm["n"], gemm["k"]});
      EXPECT_EQ(gemm["pattern"], row["pattern"]);
    }
    EXPECT_EQ(row["cycles"], cycles) << row;
    EXPECT_EQ(row["longest_part"], std::max_element(each.begin(), each.end()) - each.begin() + 1)
        << row;
    EXPECT_EQ(row["dense_cycles"], dense_cycles) << row;
    const auto longest = row["longest_part"].get<std::size_t>() - 1;
    EXPECT_EQ(ordered_json({row["m"], row["n"], row["k"]}), shapes.at(longest)) << row;
    ++compared;
  }
  EXPECT_EQ(compared, 3 + 3 + 2);
}

/// What a study says comes next can be asked, with the files' names in place of the study's.
TEST_F(GemmLayer, IsExplainedAsTheStudySays) {
  const ProgramResult study = run({"run", "--network", "./net.yaml", "--arch", "./arch.yaml",
                                   "--schemes", "./mixed.yaml", "--format", "json"});
  ASSERT_EQ(study.exit_code, 0) << study.err;
  const ordered_json losses = ordered_json::parse(study.out)["losses"];
  ASSERT_EQ(losses.size(), 1U);
  std::istringstream command(losses[0]["explain"].get<std::string>());
  std::vector<std::string> words{std::istream_iterator<std::string>(command), {}};
  ASSERT_EQ(words.front(), "stcsim");
  words.erase(words.begin());
  for (std::string& word : words) {
    if (word == "two_sms") word = "./arch.yaml";
    if (word == "mixed") word = "./mixed.yaml";
    if (word.starts_with("two:")) word = "./net.yaml" + word.substr(3);
  }
  const ProgramResult explained = run(words);
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("two_sms"));
}

/// dX^T = dY^T W: M and N change places where the right operand is sparse.
TEST_F(GemmLayer, IsTransposedWhereTheRightOperandIsSparse) {
  const ordered_json dense = gemm_json({"--layer", "./net.yaml:fc", "--phase", "Backward"});
  const ordered_json sparse =
      gemm_json({"--layer", "./net.yaml:Fc", "--phase", "dgrad", "--scheme", "./mixed.yaml"});
  EXPECT_EQ(dense["m"], 128);
  EXPECT_EQ(dense["n"], 2 * 64);
  EXPECT_EQ(dense["k"], 64);
  EXPECT_EQ(dense["pattern"], "dense");
  EXPECT_TRUE(dense["dense_cycles"].is_null());
  EXPECT_EQ(sparse["m"], 2 * 64);
  EXPECT_EQ(sparse["n"], 128);
  EXPECT_EQ(sparse["k"], 64);
  EXPECT_EQ(sparse["pattern"], "2:4");
  EXPECT_EQ(sparse["config"]["layout"], "tt");
  EXPECT_EQ(sparse["config"]["layer"]["phase"], "dgrad");
  EXPECT_EQ(sparse["dense_cycles"], dense["cycles"]);
}

TEST_F(GemmLayer, SaysWhatItIsAndWhatTheSchemeLeavesDense) {
  EXPECT_THAT(gemm({"--layer", "./net.yaml:conv", "--phase", "wgrad", "--scheme", "./mixed.yaml",
                    "--sparsity", "2:4", "--batch", "4"})
                  .out,
              HasSubstr("\nlayer: conv of two, batch 4, update (wgrad): activation 2:4 by mixed "
                        "(right operand: stated\n  transposed)\n"));
  EXPECT_THAT(gemm({"--layer", "./net.yaml:fc", "--phase", "wgrad", "--scheme", "asp"}).out,
              HasSubstr("update (wgrad): dense\nnote: asp leaves update (wgrad) dense\n"));
}

/// As the scheme prunes, with values: C is checked against the product of the pruned operands.
TEST_F(GemmLayer, RunsWithValues) {
  const ordered_json json = gemm_json(
      {"--layer", "./net.yaml:fc", "--phase", "dgrad", "--scheme", "./mixed.yaml", "--functional"});
  EXPECT_EQ(json["config"]["functional"]["prune"], "rescaled-magnitude");
  EXPECT_EQ(json["functional"]["checked_elements"], 128 * 128);
  EXPECT_EQ(json["functional"]["mismatches"], 0);
}

TEST_F(GemmLayer, RefusesWhatItCannotMean) {
  const auto error = [&](std::vector<std::string> more) {
    const ProgramResult result = gemm(std::move(more));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const std::string layer = "./net.yaml:conv";
  EXPECT_EQ(error({"--layer", "conv"}),
            "stcsim gemm: error: --layer is 'conv', must be NETWORK:LAYER, e.g. "
            "resnet50:layer3.0.conv2\n");
  EXPECT_EQ(error({"--layer", "./net.yaml:conf"}),
            "stcsim gemm: error: --layer: network 'two' has no layer 'conf' ('stcsim list layers "
            "./net.yaml' shows all); did you mean 'conv'?\n");
  EXPECT_EQ(error({"--layer", layer, "--phase", "sideways"}),
            "stcsim gemm: error: --phase is 'sideways', must be forward, dgrad, wgrad (or fprop, "
            "backward, update)\n");
  EXPECT_EQ(error({"--layer", "./net.yaml:stem", "--phase", "dgrad"}),
            "stcsim gemm: error: --phase: 'stem' has no backward (dgrad): nothing needs the "
            "gradient of the network's input\n");
  EXPECT_EQ(error({"--layer", layer, "--phase", "dgrad"}),
            "stcsim gemm: error: --part is missing: backward (dgrad) of 'conv' is 3 GEMMs, 1 to 3 "
            "('stcsim list layers ./net.yaml' shows them)\n");
  EXPECT_EQ(error({"--layer", layer, "--part", "1"}),
            "stcsim gemm: error: --part has no effect: the phase is one GEMM\n");
  EXPECT_EQ(error({"--layer", layer, "--sparsity", "2:4"}),
            "stcsim gemm: error: --sparsity has no effect with --layer but for a --scheme with a "
            "sparse phase, whose pattern it replaces\n");
}

}  // namespace
}  // namespace stcsim
