// A measured step as ground, from a profile to figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kProfile = STCSIM_SOURCE_DIR "/tests/data/profiles/mlp.json";

/// tests/data/profiles/README.md says what the step's times are.
constexpr double kSpanUs = 450;
constexpr double kIdleUs = 14.75;
constexpr double kOptimizerUs = 30;
constexpr double kNear = 0.1;

ProgramResult run(std::vector<std::string> more) {
  std::vector<std::string> words{"run", "--profile", kProfile, "--no-spread"};
  words.insert(words.end(), more.begin(), more.end());
  return run_stcsim(words);
}

json study(std::vector<std::string> more = {}) {
  more.insert(more.end(),
              {"--arch", "h200", "--schemes", "torchao-semisparse", "--format", "json"});
  const ProgramResult result = run(std::move(more));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out);
}

TEST(ProfileAsGround, PartsOfTheDenseStepAreMeasured) {
  const json total = study().at("totals").at(0);
  EXPECT_TRUE(total.at("measured"));
  EXPECT_NEAR(total.at("step").at("dense_time_us"), kSpanUs, kNear);
  EXPECT_NEAR(total.at("dense_kernels_us"), kSpanUs - kIdleUs, kNear);
  EXPECT_NEAR(total.at("kinds").at("launches").at("dense_time_us"), kIdleUs, kNear);
  EXPECT_NEAR(total.at("optimizer").at("dense_time_us"), kOptimizerUs, kNear);
  EXPECT_NEAR(total.at("gemms").at("dense_time_us"), 60.5 + 55 + 58 + 54 + 56 + 53, kNear);
}

/// Rows of products are ratios; what packed products leave to others is charged: bias, mask,
/// result.
TEST(ProfileAsGround, OfASchemeIsWhatItTouches) {
  const json document = study();
  double spent = 0;
  double spared = 0;
  bool has_mask = false;
  for (const json& row : document.at("results")) {
    const double repeat = row.at("repeat");
    const double saved =
        repeat * (row.at("dense_time_us").get<double>() - row.at("time_us").get<double>());
    if (row.at("scheme_work")) {
      spent -= saved;
      has_mask = has_mask || row.at("op") == "transposed mask backward";
    } else if (row.at("kind") == "gemm") {
      spared += saved;
      EXPECT_EQ(saved == 0, row.at("phase") == "wgrad") << row.at("layer");
    } else if (row.at("kind") != "launches" && row.at("kind") != "sparse_calls") {
      EXPECT_EQ(saved, 0) << row.at("op");
    }
  }
  EXPECT_TRUE(has_mask);
  const json& total = document.at("totals").at(0);
  EXPECT_NEAR(total.at("kernels_us"), kSpanUs - kIdleUs - spared + spent, kNear);
  EXPECT_LT(total.at("kernels_interval").at("low"), total.at("kernels_speedup"));
  EXPECT_GT(total.at("kernels_interval").at("high"), total.at("kernels_speedup"));
}

TEST(ProfileAsGround, TheAnswerSaysKernelsAndClock) {
  const ProgramResult result = run({"--arch", "h200", "--schemes", "torchao-semisparse"});
  EXPECT_THAT(result.out, StartsWith("mlp on h200: measured step 450 us, kernels 435 us; "));
  EXPECT_THAT(result.out, HasSubstr("by the clock"));
}

TEST(ProfileAsGround, AStepTimedWithoutTheProfilerChangesItsWaitsAlone) {
  const json total = study({"--measured-step", "440us"}).at("totals").at(0);
  EXPECT_NEAR(total.at("step").at("dense_time_us"), 440, kNear);
  EXPECT_NEAR(total.at("dense_kernels_us"), kSpanUs - kIdleUs, kNear);
}

TEST(ProfileAsGround, Refusals) {
  const auto refusal = [](std::vector<std::string> more) {
    const ProgramResult result = run(std::move(more));
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--arch", "h100_sxm"}), HasSubstr("is of a NVIDIA H200"));
  EXPECT_THAT(refusal({"--arch", "h200", "--network", "resnet50"}), HasSubstr("does not go with"));
  EXPECT_THAT(refusal({"--arch", "h200", "--measured-step", "440"}), HasSubstr("290ms"));
  EXPECT_THAT(refusal({"--arch", "h200", "--measured-step", "400us"}),
              HasSubstr("must be more than its kernels"));
  const ProgramResult shipped = run_stcsim({"run", "--profile", "resnet50", "--arch", "h200"});
  EXPECT_EQ(shipped.exit_code, 2);
  EXPECT_THAT(shipped.err, HasSubstr("must be a profile"));
}

TEST(ProfileAsGround, WarnsOfASchemeThatTouchesNothing) {
  const ProgramResult result = run({"--arch", "h200", "--schemes", "torchao-semisparse",
                                    "--no-overhead", "--set", "schemes.0.layers={types: [conv]}"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning: torchao-semisparse changes no product of mlp"));
}

TEST(ProfileAsGround, EvalAnswersTheSame) {
  const ProgramResult answer = run_program(
      "/bin/sh", {"-c", "echo '{\"profile\": \"" + kProfile +
                            "\", \"arch\": \"h200\", \"scheme\": \"torchao-semisparse\"}' | " +
                            stcsim_program().string() + " eval"});
  const json line = json::parse(answer.out);
  EXPECT_EQ(line.at("kernels_speedup"), study().at("totals").at(0).at("kernels_speedup"));
}

TEST(ProfileAsGround, AFileThatIsNotThereIsNamedByItsOption) {
  const ProgramResult result = run_stcsim(
      {"run", "--profile", "nosuch.json", "--arch", "h200", "--schemes", "torchao-semisparse"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--profile: network file 'nosuch.json' does not exist"));
}

}  // namespace
}  // namespace stcsim
