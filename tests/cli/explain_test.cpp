#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> with(const char* command, std::vector<std::string> options) {
  std::vector<std::string> words{command,
                                 "--arch",
                                 "a100",
                                 "--m",
                                 "128",
                                 "--n",
                                 "128",
                                 "--k",
                                 "256",
                                 "--sparsity",
                                 "2:4",
                                 "--set",
                                 "accelerator.num_sms=4"};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

TEST(Explain, SaysTheCyclesThatGemmSays) {
  const ProgramResult gemm = run_stcsim(with("gemm", {"--format", "json"}));
  const ProgramResult why = run_stcsim(with("explain", {"--format", "json", "--jobs", "2"}));
  ASSERT_EQ(why.exit_code, 0) << why.err;
  const auto report = nlohmann::json::parse(gemm.out);
  const auto explanation = nlohmann::json::parse(why.out);
  EXPECT_EQ(explanation["all"]["cycles"], report["cycles"]);
  EXPECT_EQ(explanation["all"]["dense_cycles"], report["dense_cycles"]);
  EXPECT_EQ(explanation["kernel"], report["kernel"]);
  EXPECT_EQ(explanation["stack"], report["stack"]);
}

TEST(Explain, IsTheBlockBelowGemmWithExplain) {
  const ProgramResult gemm = run_stcsim(with("gemm", {"--explain"}));
  const ProgramResult why = run_stcsim(with("explain", {}));
  ASSERT_EQ(gemm.exit_code, 0) << gemm.err;
  EXPECT_THAT(gemm.out, testing::EndsWith(why.out));
  EXPECT_THAT(gemm.out, StartsWith("GEMM 128"));
}

/// The answer's cause is of all relaxations but the multipliers' the one with the highest gain, and
/// the first.
TEST(Explain, NamesWhatRaisesTheGainMost) {
  for (const char* const settings :
       {"accelerator.sm.shared_memory.banks=16", "accelerator.dram.bytes_per_clk=40",
        "accelerator.sm.epilogue.setup_cycles=4000"}) {
    SCOPED_TRACE(settings);
    const ProgramResult result =
        run_stcsim(with("explain", {"--format", "json", "--set", settings, "--jobs", "2"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto report = nlohmann::json::parse(result.out);
    std::string cause;
    double most = 1.03 * report["all"]["speedup"].get<double>();
    for (const auto& one : report["counterfactuals"]) {
      const std::string name = one["name"];
      if (name == "multipliers" || name == "other_kernels" || one["free"].is_null()) continue;
      if (one["free"]["speedup"] < most) continue;
      most = one["free"]["speedup"];
      cause = name;
    }
    EXPECT_NE(cause, "");
    EXPECT_EQ(report["verdict"], cause);
    EXPECT_EQ(report["counterfactuals"][0]["name"], cause);
    EXPECT_THAT(report["answer"].get<std::string>(),
                HasSubstr("it is held back most by " +
                          report["counterfactuals"][0]["what"].get<std::string>()));
  }
}

TEST(Explain, RefusesWhatHasNoEffect) {
  const std::string help = run_stcsim({"explain", "--help"}).out;
  for (const char* option : {"--functional", "--explain", "--method", "--seed", "--prune",
                             "--flip-metadata-bit", "--fast-forward"}) {
    EXPECT_THAT(help, testing::Not(HasSubstr(std::string(option) + " "))) << option;
    EXPECT_THAT(run_stcsim({"gemm", "--help"}).out, HasSubstr(std::string(option) + " "));
    const ProgramResult result = run_stcsim(with("explain", {option}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("unknown option '" + std::string(option) + "'"));
  }
  const ProgramResult result = run_stcsim(with("gemm", {"--explain", "--format", "csv"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--explain goes with --format table"));
}

}  // namespace
}  // namespace stcsim
