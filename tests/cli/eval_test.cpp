#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"
#include "tests/cli/tiny_sweep.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

/// The answers to lines, in a folder with TinySweep's files.
std::vector<ordered_json> evaluate(const std::string& lines,
                                   const std::vector<std::string>& more = {"--figures", "all"}) {
  const TinySweep tiny;
  write_text(tiny.path("lines.jsonl"), lines);
  std::vector<std::string> words{"eval", tiny.path("lines.jsonl")};
  words.insert(words.end(), more.begin(), more.end());
  ProgramOptions options;
  options.working_directory = std::filesystem::path(tiny.path("")).parent_path();
  const ProgramResult result = run_stcsim(words, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(result.left_processes);
  std::vector<ordered_json> answers;
  std::istringstream text(result.out);
  for (std::string line; std::getline(text, line);) answers.push_back(ordered_json::parse(line));
  return answers;
}

ordered_json gemm_of_words(const std::vector<std::string>& words) {
  std::vector<std::string> all{"gemm", "--format", "json"};
  all.insert(all.end(), words.begin(), words.end());
  return ordered_json::parse(run_stcsim(all).out);
}

void expect_gemm(const ordered_json& answer, const ordered_json& gemm) {
  for (const char* const key : {"time_us", "cycles", "dense_cycles", "speedup", "bound_by",
                                "board_watts", "utilization", "multiplier_macs", "reason"}) {
    EXPECT_EQ(answer.at(key), gemm.at(key)) << key;
  }
}

/// To the last digit.
TEST(Eval, SaysWhatGemmSays) {
  const auto answers = evaluate(
      R"({"id": 7, "arch": "a100", "m": 256, "n": 512, "k": 512, "pattern": "2:4"}
{"arch": "a100_nm", "m": 256, "n": 512, "k": 512, "pattern": "1:8", "stack": "best", "set": {"accelerator.num_sms": 16, "clock_mhz": 1000}}
{"id": null, "arch": "A100", "layer": "resnet9_cifar10:conv2", "phase": "dgrad", "scheme": "sdgp", "batch": 8, "part": 1}
)");
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].begin().key(), "id");
  EXPECT_EQ(answers[0].at("id"), 7);
  EXPECT_FALSE(answers[1].contains("id"));
  expect_gemm(answers[0], gemm_of_words({"--arch", "a100", "--m", "256", "--n", "512", "--k", "512",
                                         "--sparsity", "2:4"}));
  expect_gemm(answers[1], gemm_of_words({"--arch", "a100_nm", "--m", "256", "--n", "512", "--k",
                                         "512", "--sparsity", "1:8", "--stack", "best", "--set",
                                         "accelerator.num_sms=16", "--set", "clock_mhz=1000"}));
  expect_gemm(answers[2],
              gemm_of_words({"--arch", "a100", "--layer", "resnet9_cifar10:conv2", "--phase",
                             "dgrad", "--scheme", "sdgp", "--batch", "8", "--part", "1"}));
  EXPECT_GT(answers[0].at("speedup_high"), answers[0].at("speedup"));
  EXPECT_LT(answers[0].at("speedup_low"), answers[0].at("speedup"));
  EXPECT_LT(answers[1].at("area_mm2"), answers[0].at("area_mm2"));
}

TEST(Eval, WhatIsWrongIsAnAnswer) {
  const auto answers = evaluate(R"({"id": "a", "arch": "./small.yaml", "m": 0, "n": 64, "k": 64}
{"id": 1, "arch": "a10O", "m": 64, "n": 64, "k": 64}
{"id": [2], "arch":
[1]
{"id": 3, "m": 64, "n": 64, "k": 64}
{"id": 4, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "patern": "2:4"}
{"id": 5, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "set": {"accelerator.num_sm": 2}}
{"id": 6, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "set": 2}
{"id": 7, "network": "resnet19", "arch": "a100"}
{"id": 8, "space": "./gemms.yaml", "set": {"accelerator.sms": 2}}
{"id": "b", "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "alinged": true}
{"id": "c", "network": "resnet18", "arch": "a100", "shemes": "asp"}
{"id": "d", "network": "resnet18", "arch": "a100", "m": null}
{"id": 9, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64}
)");
  const std::vector<std::pair<ordered_json, const char*>> expected{
      {"a", "m is '0', must be a whole number from 1"},
      {1, "unknown machine 'a10O'"},
      {nullptr, "the line:1:"},
      {nullptr, "the line must be a JSON object"},
      {3, "'arch' is missing"},
      {4, "unknown option 'patern'; did you mean 'pattern'?"},
      {5, "did you mean 'num_sms'?"},
      {6, "'set' must be an object"},
      {7, "unknown network 'resnet19'"},
      {8, "has no axis 'accelerator.sms'"},
      {"b", "unknown option 'alinged'"},
      {"c", "unknown option 'shemes'; did you mean 'schemes'?"},
      {"d", "unknown option 'm'"}};
  ASSERT_EQ(answers.size(), expected.size() + 1);
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const auto& [id, error] = expected[at];
    EXPECT_EQ(answers[at].value("id", ordered_json()), id) << at;
    EXPECT_THAT(answers[at].at("error").get<std::string>(), HasSubstr(error)) << at;
  }
  EXPECT_GT(answers.back().at("cycles"), 0);
}

/// A line is at most 1 MiB; brackets within each other cost memory, not the program's life.
TEST(Eval, OneLineDoesNotEndTheService) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string gemm = R"("arch": "./small.yaml", "m": 64, "n": 64, "k": 64})";
  const auto answers = evaluate("{\"id\": 1, " + gemm + "\n{\"id\": " + deep + "}\n" +
                                "{\"id\": " + deep + ", " + gemm + "\n{\"id\": 2, " + gemm + "\n");
  ASSERT_EQ(answers.size(), 4U);
  for (const std::size_t at : {1U, 2U}) {
    EXPECT_EQ(answers[at], (ordered_json{{"error",
                                          "the line: more than 500 lists and "
                                          "objects are within each other"}}));
  }
  EXPECT_EQ(answers[0].at("id"), 1);
  EXPECT_GT(answers[0].at("cycles"), 0);
  EXPECT_EQ(answers[3].at("cycles"), answers[0].at("cycles"));
}

TEST(Eval, AKeyThatIsThereTwiceIsRefused) {
  const auto answers = evaluate(
      R"({"id": 1, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "m": 128}
{"id": 2, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64, "set": {"clock_mhz": 1, "clock_mhz": 2}}
)");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].at("id"), 1);
  EXPECT_THAT(answers[0].at("error").get<std::string>(), HasSubstr("key 'm' is there twice"));
  EXPECT_THAT(answers[1].at("error").get<std::string>(),
              HasSubstr("key 'clock_mhz' is there twice"));
}

TEST(Eval, FiguresAreThoseThatAreAskedFor) {
  const std::string line = R"({"id": 1, "arch": "./small.yaml", "m": 64, "n": 64, "k": 64}
)";
  const ordered_json some = evaluate(line, {"--figures", "area_mm2,cycles"}).at(0);
  const ordered_json all = evaluate(line).at(0);
  EXPECT_EQ(
      some.dump(),
      ordered_json({{"id", 1}, {"area_mm2", all.at("area_mm2")}, {"cycles", all.at("cycles")}})
          .dump());
  EXPECT_THAT(evaluate(line, {"--figures", "speed"}).at(0).at("error").get<std::string>(),
              HasSubstr("no figure is called 'speed'"));
  const ordered_json usual = evaluate(line, {}).at(0);
  EXPECT_EQ(usual.at("time_us"), all.at("time_us"));
  EXPECT_FALSE(usual.contains("multiplier_macs"));
}

TEST(Eval, StepsAreThoseOfRun) {
  const TinyExperiment tiny;
  const auto answers = evaluate(
      R"({"id": 1, "network": "resnet9_cifar10", "arch": "a100", "scheme": "asp", "batch": 8}
{"id": 2, "experiment": ")" +
      tiny.file() + R"("}
)");
  ASSERT_EQ(answers.size(), 2U);
  const ordered_json run =
      ordered_json::parse(run_stcsim({"run", "--network", "resnet9_cifar10", "--arch", "a100",
                                      "--schemes", "asp", "--batch", "8", "--format", "json"})
                              .out);
  const ordered_json& total = run.at("totals").at(0);
  EXPECT_EQ(answers[0].at("time_us"), total.at("step").at("time_us"));
  EXPECT_EQ(answers[0].at("speedup"), total.at("step").at("speedup"));
  EXPECT_EQ(answers[0].at("scheme"), "asp");
  const ordered_json of_file =
      ordered_json::parse(run_stcsim({"run", tiny.file(), "--format", "json"}).out);
  const ordered_json& totals = of_file.at("totals");
  const ordered_json& steps = answers[1].at("steps");
  ASSERT_EQ(steps.size(), totals.size());
  for (std::size_t at = 0; at < steps.size(); ++at) {
    EXPECT_EQ(steps[at].at("cycles"), totals[at].at("step").at("cycles"));
    EXPECT_EQ(steps[at].at("scheme"), totals[at].at("scheme"));
  }
}

/// As the experiment's file would have it.
TEST(Eval, AnExperimentMayStandInItsLine) {
  const auto answers = evaluate(
      R"({"experiment": {"machines": ["a100"], "networks": [{"name": "resnet9_cifar10", "batch": 8}], "schemes": ["asp"]}, "rows": true}
{"experiment": {"machines": ["nope"], "networks": ["resnet18"], "schemes": ["asp"]}}
)");
  const ordered_json run =
      ordered_json::parse(run_stcsim({"run", "--network", "resnet9_cifar10", "--arch", "a100",
                                      "--schemes", "asp", "--batch", "8", "--format", "json"})
                              .out);
  const ordered_json& rows = answers.at(0).at("rows");
  ASSERT_EQ(rows.size(), run.at("results").size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    for (const auto& [key, value] : rows[at].items()) {
      EXPECT_EQ(value, run.at("results")[at].at(key)) << key;
    }
  }
  EXPECT_EQ(answers[0].at("totals").at(0).at("share_of_training"), 1.0);
  EXPECT_TRUE(answers[0].at("parallel").empty());
  EXPECT_THAT(answers.at(1).at("error").get<std::string>(), HasSubstr("unknown machine 'nope'"));
}

/// A pair of events adds 2.5 us; kernels named as profilers name them take more.
TEST(Eval, SaysHowAGemmIsTimedAndWithWhichKernel) {
  const std::string gemm = R"({"arch": "h200", "m": 512, "n": 256, "k": 512, "dtype": "bf16")";
  const auto answers = evaluate(gemm + "}\n" + gemm + R"(, "method": "events"})" + "\n" + gemm +
                                R"(, "kernel": "nvjet_sm90_tst_64x64_64x3_1x1_h_bz"})" + "\n");
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_DOUBLE_EQ(answers[1].at("time_us"), answers[0].at("time_us").get<double>() + 2.5);
  EXPECT_DOUBLE_EQ(answers[1].at("speedup"), 1.0);
  EXPECT_EQ(answers[2].at("tile"), "64x64x64");
  EXPECT_EQ(answers[2].at("stages"), 3);
  EXPECT_EQ(answers[2].at("ctas"), 32);
  EXPECT_EQ(answers[2].at("sm_read_bytes"), 32 * 8 * (64 + 64) * 64 * 2);
  EXPECT_LT(answers[2].at("roofline_us"), answers[2].at("time_us"));
}

/// A cold start adds 950 cycles to 1024 passes. 64 MiB read and 64 MiB written take as long
/// whatever the type; one GPU exchanges nothing.
TEST(Eval, KnowsInstructionsKernelsBesideProductsAndCollectives) {
  const auto answers = evaluate(
      R"({"arch": "a100", "instruction": "mma.sync", "dtype": "fp16/fp32", "shape": "m16n8k16"}
{"arch": "a100", "instruction": "mma.sync", "dtype": "fp16/fp32", "shape": "m16n8k16", "warps": 8, "chains": 2}
{"arch": "a100", "op": "relu", "rows": 8192, "columns": 4096, "dtype": "fp16"}
{"arch": "a100", "op": "relu", "rows": 4096, "columns": 4096, "dtype": "fp32"}
{"system": "dgx_h100", "collective": "all_reduce", "bytes": 1e9, "gpus": 8}
{"system": "dgx_h100", "collective": "all_reduce", "bytes": 1e9, "gpus": 1}
{"arch": "a100", "op": "sing", "rows": 1, "columns": 1}
{"system": "dgx_h100", "collective": "all_reduce", "gpu": 8}
{"arch": "a100", "op": "layer_norm", "rows": 8192, "columns": 4096, "framework": "pytorch_2_11_eager_bf16"}
{"arch": "a100", "op": "layer_norm", "rows": 8192, "columns": 4096, "framework": "pytorch_2_11_eager_bf16", "backward": true}
)");
  ASSERT_EQ(answers.size(), 10U);
  EXPECT_DOUBLE_EQ(answers[0].at("latency_cycles"), 24 + 950.0 / 1024);
  EXPECT_NEAR(answers[1].at("fma_per_clk"), 1024, 30);
  EXPECT_EQ(answers[2].at("time_us"), answers[3].at("time_us"));
  EXPECT_GT(answers[4].at("time_us"), 1e9 / 450e3);
  EXPECT_EQ(answers[5].at("time_us"), 0);
  EXPECT_THAT(answers[6].at("error").get<std::string>(), HasSubstr("op is 'sing', must be one of"));
  EXPECT_EQ(answers[7].at("error"), "unknown option 'gpu'; did you mean 'gpus'?");
  // Backward moves three tensors where forward moves two; what the parameters get reads two more.
  EXPECT_GT(answers[9].at("time_us"), 1.4 * answers[8].at("time_us").get<double>());
}

/// Five products take longer than two, and kernels stand beside them.
TEST(Eval, KnowsAttention) {
  const auto answers = evaluate(
      R"({"arch": "h200", "attention": "cudnn", "heads": 16, "kv_heads": 8, "tokens": 1024, "head_size": 64, "causal": true}
{"arch": "h200", "attention": "flash2", "heads": 16, "tokens": 1024, "head_size": 64}
{"arch": "h200", "attention": "flash2", "heads": 16, "kv_heads": 5, "tokens": 1024, "head_size": 64}
{"arch": "h200", "attention": "flash3", "heads": 16, "tokens": 1024, "head_size": 64}
{"arch": "h200", "attention": "flash2", "heads": 16, "tokens": 1024, "head_size": 512}
)");
  ASSERT_EQ(answers.size(), 5U);
  for (const std::size_t at : {0U, 1U}) {  // five products for two, but as many exponentials
    EXPECT_GT(answers[at].at("backward_us"), answers[at].at("forward_us").get<double>() * 2);
  }
  EXPECT_LT(answers[0].at("forward_us"), answers[1].at("forward_us").get<double>());
  EXPECT_THAT(answers[2].at("error").get<std::string>(), HasSubstr("a divisor of the number"));
  EXPECT_THAT(answers[3].at("error").get<std::string>(), HasSubstr("flash2"));
  EXPECT_THAT(answers[4].at("error").get<std::string>(), HasSubstr("256"));
}

/// Which step is which is said before what is asked for, and once where it is asked for too.
TEST(Eval, StepsNameTheirSchemeWhateverFiguresAreAskedFor) {
  const TinyExperiment tiny;
  const std::string line = R"({"id": 1, "experiment": ")" + tiny.file() + R"("}
)";
  for (const char* const figures : {"time_us", "scheme,time_us"}) {
    const ordered_json steps = evaluate(line, {"--figures", figures}).at(0).at("steps");
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].at("scheme"), "dense");
    EXPECT_EQ(steps[1].at("scheme"), "asp");
    EXPECT_EQ(steps[1].at("network"), "tiny");
    EXPECT_EQ(steps[1].at("arch"), "two_sms");
    EXPECT_EQ(steps[1].size(), 4U) << steps[1];
    EXPECT_GT(steps[1].at("time_us"), 0);
  }
}

/// A machine of a space does all of the space's work: here two GEMMs, dense and 2:4.
TEST(Eval, ADesignPointIsTheSumOfItsPoints) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run("run").exit_code, 0);
  const auto rows = ordered_json::parse(sweep.run("export", {"--format", "json"}).out).at("rows");
  const auto sum_of = [&rows](const char* figure, int sms, int selector) {
    double sum = 0;
    for (const ordered_json& row : rows) {
      if (row.at("machine.accelerator.num_sms") == sms &&
          row.at("machine.accelerator.sm.operand_selector.b_bytes_per_clk") == selector) {
        sum += row.at(figure).get<double>();
      }
    }
    return sum;
  };
  const auto answers = evaluate(R"({"id": 1, "space": "./gemms.yaml"}
{"id": 2, "space": "./gemms.yaml", "set": {"machine.accelerator.num_sms": 3, "accelerator.sm.operand_selector.b_bytes_per_clk": 128}}
)");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_DOUBLE_EQ(answers[0].at("time_us"), sum_of("time_us", 1, 64));
  EXPECT_DOUBLE_EQ(answers[0].at("dense_time_us"), sum_of("dense_time_us", 1, 64));
  EXPECT_DOUBLE_EQ(answers[1].at("time_us"), sum_of("time_us", 3, 128));
  EXPECT_LT(answers[0].at("area_mm2"), answers[1].at("area_mm2"));
}

TEST(Eval, AnswersDoNotDependOnTheWorkers) {
  std::string lines;
  for (int at = 0; at < 60; ++at) {
    lines += R"({"arch": "./small.yaml", "n": 64, "k": 64, "pattern": "2:4", "m": )" +
             std::to_string(16 * (60 - at)) + R"(, "set": {"accelerator.num_sms": )" +
             std::to_string(1 + at % 3) + "}}\n";
  }
  const auto one = evaluate(lines);
  ASSERT_EQ(one.size(), 60U);
  EXPECT_EQ(one[3].at("m"), 912);
  EXPECT_EQ(evaluate(lines, {"--figures", "all", "--jobs", "3"}), one);
}

}  // namespace
}  // namespace stcsim
