#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace stcsim {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kInstructions =
    "source,gpu,instr,dtype,shape,sparse,warps,ilp,latency_cycles,throughput_fma_per_clk_sm\n"
    "s,A100,mma.sync,fp16/fp32,m16n8k16,0,8,2,24.7,1004.2\n"
    "s,Z9,mma.sync,fp16/fp32,m16n8k16,0,8,2,24.7,1004.2\n";
constexpr const char* kNetworks =
    "source,gpu,dtype,network,config,phase,dense,sparse,unit,speedup,pattern,model,batch,phases,"
    "scheme,scope,not_simulated\n"
    "s,A100,fp16,BERT,bs=1,inference,,,,1.0-1.5,2:4,bert_base_s128,1,inference,asp,step,\n";

/// What a table is about is said by its columns.
class ValidateKinds : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& table, std::vector<std::string> options = {}) {
    const std::string path = (directory_.path() / "t.csv").string();
    std::ofstream(path) << table;
    options.insert(options.begin(), {"evidence", "rows", path});
    return run_stcsim(options);
  }

  TemporaryDirectory directory_;
};

TEST_F(ValidateKinds, ATableOfInstructions) {
  const ProgramResult result = run(kInstructions, {"--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_TRUE(document["results"].empty());
  EXPECT_TRUE(document["networks"].empty());
  ASSERT_EQ(document["instructions"].size(), 2U);
  EXPECT_EQ(document["instructions"][0]["machine"], "a100");
  EXPECT_FALSE(document["instructions"][0]["throughput_error"].is_null());
  EXPECT_EQ(document["instructions"][1]["skipped"], "no machine for GPU 'Z9'");
}

/// The network's own figures: dense and sparse times of the row are those of `stcsim run`.
TEST_F(ValidateKinds, ATableOfNetworks) {
  const ProgramResult result = run(kNetworks, {"--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json row = json::parse(result.out)["networks"].at(0);
  EXPECT_EQ(row["skipped"], "");
  EXPECT_DOUBLE_EQ(row["simulated_speedup_low"], row["simulated_dense_us"].get<double>() /
                                                     row["simulated_sparse_us"].get<double>());
  EXPECT_EQ(row["simulated_speedup_low"], row["simulated_speedup_high"]);
}

TEST_F(ValidateKinds, TablesForReadersHaveOnlyTheirKind) {
  const ProgramResult result = run(kInstructions);
  EXPECT_EQ(result.out.find("Instructions\n\n"), 0U);
  EXPECT_THAT(result.out, Not(HasSubstr("Pearson")));
  EXPECT_THAT(run(kNetworks).out, HasSubstr("BERT, bs=1"));
}

TEST_F(ValidateKinds, BadInputIsOneLineWithItsPlace) {
  ProgramResult result =
      run("source,gpu,machine,instr,dtype,shape,sparse,warps,ilp,latency_cycles,"
          "throughput_fma_per_clk_sm\ns,A,nope,mma,fp16,m16n8k16,0,4,1,3,4\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("t.csv:2:1: error: unknown machine 'nope'"));
  result = run(
      "source,gpu,dtype,network,config,phase,dense,sparse,unit,speedup,pattern,model,batch,phases,"
      "scheme,scope,not_simulated\ns,A100,,n,,,,,,2,2:4,nope,1,inference,asp,step,\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("t.csv:2:1: error: unknown network 'nope'"));
}

TEST_F(ValidateKinds, KnowsItsFormats) {
  const ProgramResult result = run(kInstructions, {"--format", "xml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("must be one of table, json, csv\n"));
}

/// A row that is wrong, and one that names a machine or a network that is not there; the rest goes
/// on.
TEST_F(ValidateKinds, BadRowsAreLeftOut) {
  const std::string instructions =
      "source,gpu,machine,instr,dtype,shape,sparse,warps,ilp,latency_cycles,"
      "throughput_fma_per_clk_sm\n"
      "s,X,nowhere,mma.sync,fp16/fp32,m16n8k16,0,8,2,24.7,\n"
      "s,A100,,mma.sync,fp16/fp32,m16n8k16,2,8,2,24.7,\n"
      "s,A100,,mma.sync,fp16/fp32,m16n8k16,0,8,2,24.7,\n";
  const ProgramResult ran = run(instructions, {"--format", "json"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(json::parse(ran.out)["instructions"].size(), 1U);
  EXPECT_EQ(json::parse(ran.out)["bad_rows"].size(), 2U);
  EXPECT_THAT(ran.err, HasSubstr("t.csv:2:1: error: "));
  EXPECT_THAT(ran.err, HasSubstr("t.csv:3:37: error: sparse is '2'"));
  const std::string network =
      "s,A100,fp16,BERT,bs=1,inference,,,,1.0-1.5,2:4,nowhere,1,inference,asp,step,\n";
  const ProgramResult networks = run(kNetworks + network, {"--format", "json"});
  EXPECT_EQ(networks.exit_code, 1);
  EXPECT_EQ(json::parse(networks.out)["networks"].size(), 1U);
  EXPECT_THAT(networks.err, HasSubstr("t.csv:3:1: error: "));
  EXPECT_EQ(run(kNetworks, {}).exit_code, 0);
}

}  // namespace
}  // namespace stcsim
