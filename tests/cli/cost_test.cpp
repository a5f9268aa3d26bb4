#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kGemm{"gemm", "--energy", "--arch", "a100", "--m",        "2048",
                                     "--n",  "2048",     "--k",    "2048", "--sparsity", "2:4"};

ProgramResult cost(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_stcsim(arguments);
}

TEST(Cost, EnergiesOfUnitsAddUp) {
  const ProgramResult result = cost(kGemm, {"--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["schema"], "stcsim.cost/1");
  EXPECT_EQ(document["costs"]["basis"], "board");
  double joules = 0;
  for (const json& action : document["actions"]) joules += action["joules"].get<double>();
  const json& gemm = document["gemm"];
  EXPECT_NEAR(joules, gemm["joules"], 1e-12);
  EXPECT_NEAR(gemm["joules"].get<double>(),
              gemm["board_watts"].get<double>() * gemm["seconds"].get<double>(), 1e-12);
  EXPECT_LT(gemm["of_dense"], 1.0);
  EXPECT_LE(gemm["of_dense_low"], gemm["of_dense"]);
  EXPECT_GE(gemm["of_dense_high"], gemm["of_dense"]);
  EXPECT_EQ(document["area"]["sm_of_a100"], 1.0);
}

TEST(Cost, IsATableOfUnitsWithWhatIsAssumed) {
  const ProgramResult result = cost(kGemm, {});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("GEMM 2048×2048×2048 fp16, A 2:4, on a100\n2:4 takes "));
  EXPECT_THAT(result.out, HasSubstr("\noperand_selector "));
  EXPECT_THAT(result.out, HasSubstr("of dense, by every table: "));
  EXPECT_THAT(result.out, HasSubstr("horowitz_45nm"));
  EXPECT_THAT(result.out, HasSubstr("Vector instructions are not counted."));
}

TEST(Cost, ExportsARowForEveryActionAndPart) {
  const ProgramResult result = cost(kGemm, {"--format", "csv", "--costs", "sparseloop_45nm"});
  EXPECT_THAT(result.out,
              StartsWith("schema,version,config_hash,machine,costs,kind,unit,name,count,"
                         "joules,share,dense_joules,um2,of_a100\r\n"));
  EXPECT_THAT(result.out, HasSubstr(",a100,sparseloop_45nm,energy,multipliers,mac,4294967296,"));
  EXPECT_THAT(result.out, HasSubstr(",a100,sparseloop_45nm,area,l2_cache,byte,41943040.0,"));
}

TEST(Cost, WithoutAGemmIsTheArea) {
  const ProgramResult result = run_stcsim({"list", "machine", "a100_nm"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("Area of a100_nm by ga100_7nm: tensor cores 1."));
  const std::string stages = "accelerator.sm.operand_selector.selector_stages=";
  EXPECT_THAT(
      run_stcsim({"list", "machine", "a100_nm", "--set", stages + "2"}).out,
      ContainsRegex("Its clock needs 0 registers in it\\s+\\('selector_stages'\\), it has 2."));
  EXPECT_THAT(run_stcsim({"list", "machine", "a100_nm", "--set", stages + "65"}).err,
              HasSubstr("'selector_stages' is '65', must be a whole number from 0 to 64"));
  EXPECT_EQ(run_stcsim({"list", "machine", "a100", "--sparsity", "2:4"}).err,
            "stcsim list machine: error: unknown option '--sparsity'\n");
  EXPECT_THAT(run_stcsim({"list", "machine", "a100", "--costs", "horowitz_45nm"}).err,
              EndsWith("configs/costs/horowitz_45nm.yaml: error: the table of costs "
                       "'horowitz_45nm' has no 'area', must be one that has\n"));
  EXPECT_THAT(run_stcsim({"list", "machine", "a100", "--costs", "ga100"}).err,
              HasSubstr("unknown table of costs 'ga100', must be a path or a shipped one such as "
                        "ga100_7nm"));
}

TEST(Cost, OfAMachineWithoutAPowerIsForRatios) {
  const ProgramResult result = run_stcsim({"gemm", "--energy", "--arch", "ideal", "--m", "512",
                                           "--n", "512", "--k", "512", "--sparsity", "2:4"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("costs: horowitz_45nm (45 nm), good for ratios"));
  EXPECT_THAT(run_stcsim({"gemm", "--energy", "--arch", "ideal", "--m", "8", "--n", "8", "--k", "8",
                          "--costs", "ga100_7nm"})
                  .err,
              HasSubstr("ideal does not say what it draws for fp16"));
}

}  // namespace
}  // namespace stcsim
