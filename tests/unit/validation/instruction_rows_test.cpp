#include "reports/validation/instruction_rows.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

constexpr const char* kInstructionHeader =
    "source,gpu,instr,dtype,shape,sparse,warps,ilp,latency_cycles,throughput_fma_per_clk_sm\n";

class InstructionTable : public ::testing::Test {
 protected:
  std::vector<MeasuredInstruction> read(const std::string& rows) {
    std::ofstream(path_) << kInstructionHeader << rows;
    return read_measured_instructions(path_);
  }
  MeasuredInstruction first(const std::string& row) { return read(row + "\n").at(0); }
  std::string error_of(const std::string& row) {
    const std::string message = test::message_of<ConfigError>([&] { (void)first(row); });
    return message.substr(message.find("t.csv"));
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(InstructionTable, ReadsARow) {
  const MeasuredInstruction row =
      first("Sun,A100,mma.sp.sync,int8/int32,m16n8k64,1,8,2,24.7,3961.5");
  EXPECT_EQ(row.where.line, 2);
  EXPECT_EQ(row.source, "Sun");
  EXPECT_EQ(row.gpu, "A100");
  EXPECT_EQ(row.machine, "");
  EXPECT_EQ(row.name, "mma.sp.sync");
  EXPECT_EQ(row.dtype, DataType::int8);
  EXPECT_EQ(row.accumulator, DataType::int32);
  EXPECT_EQ(row.pattern, (Pattern{2, 4}));
  EXPECT_EQ(row.m, 16);
  EXPECT_EQ(row.n, 8);
  EXPECT_EQ(row.k, 64);
  EXPECT_EQ(row.warps, 8);
  EXPECT_EQ(row.ilp, 2);
  EXPECT_EQ(row.latency_cycles, 24.7);
  EXPECT_EQ(row.fma_per_clk, 3961.5);
  EXPECT_FALSE(row.of_warp_group);
  EXPECT_EQ(row.unusable, "");
}

TEST_F(InstructionTable, ValuesMayBeMissing) {
  const MeasuredInstruction row = first("s,A100,mma.sync,fp16,m16n8k16,0,,,,");
  EXPECT_TRUE(row.pattern.is_dense());
  EXPECT_EQ(row.warps, 0);
  EXPECT_EQ(row.ilp, 0);
  EXPECT_EQ(row.latency_cycles, std::nullopt);
  EXPECT_EQ(row.fma_per_clk, std::nullopt);
  EXPECT_EQ(row.unusable, "");
}

TEST_F(InstructionTable, WithoutAnAccumulatorTheUsualOneIsMeant) {
  EXPECT_EQ(first("s,A,mma.sync,fp16,m16n8k16,0,,,1,").accumulator, DataType::fp32);
  EXPECT_EQ(first("s,A,mma.sync,int8,m16n8k32,0,,,1,").accumulator, DataType::int32);
  EXPECT_EQ(first("s,A,mma.sync,fp16/fp16,m16n8k16,0,,,1,").accumulator, DataType::fp16);
}

TEST_F(InstructionTable, SparseMeansThePatternOfTheType) {
  EXPECT_EQ(first("s,A,mma.sp.sync,tf32,m16n8k16,1,,,1,").pattern, (Pattern{1, 2}));
  EXPECT_EQ(first("s,A,mma.sp.sync,int8,m16n8k64,1,,,1,").pattern, (Pattern{2, 4}));
  EXPECT_EQ(first("s,A,mma.sp.sync,int4,m16n8k128,1,,,1,").pattern, (Pattern{4, 8, 2}));
  EXPECT_EQ(first("s,A,mma.sp.sync,nvfp4,m16n8k128,1,,,1,").pattern, (Pattern{4, 8, 2}));
}

TEST_F(InstructionTable, KnowsInstructionsOfWarpGroups) {
  EXPECT_TRUE(first("s,H,wgmma.mma_async,fp16,m64n256k16,0,4,,128,").of_warp_group);
  EXPECT_FALSE(first("s,H,wgmma.mma_async.sp SS,fp16,m64n256k32,1,4,,1,").a_from_registers);
  EXPECT_TRUE(first("s,H,wgmma.mma_async.sp RS,fp16,m64n256k32,1,4,,1,").a_from_registers);
}

TEST_F(InstructionTable, MayNameTheMachine) {
  std::ofstream(path_) << "machine," << kInstructionHeader
                       << "h100_sxm,s,H,mma,fp16,m16n8k16,0,,,1,\n";
  EXPECT_EQ(read_measured_instructions(path_).at(0).machine, "h100_sxm");
}

TEST_F(InstructionTable, SaysWhyARowCannotBeSimulated) {
  EXPECT_EQ(first("s,A100,mma.sync,b1/int32,m16n8k256,0,4,3,26.0,13985.4").unusable,
            "data type 'b1' is not simulated");
  EXPECT_EQ(first("s,A100,mma.sync,fp16/fp64,m16n8k16,0,4,3,26.1,3497.9").unusable,
            "accumulator type 'fp64' is not simulated");
  EXPECT_EQ(first("s,A100,mma.sync,fp16,m16n8k16,0,,,24,900").unusable,
            "the number of warps is not given");
  EXPECT_EQ(first("s,H,wgmma.mma_async,fp16,m64n256k16,0,6,,128,2048").unusable,
            "the number of warps is not a multiple of a warp group's 4");
  for (const std::string shape :
       {"any", "m16n8", "m16n8k", "m16n8k16x", "n8m16k16", "m0n8k16", "m16n8k4097"}) {
    EXPECT_EQ(first("s,A100,mma.sync,fp16," + shape + ",0,,,24,").unusable,
              "shape '" + shape + "' is not m..n..k..");
  }
}

TEST_F(InstructionTable, RefusesWhatIsWrongAtItsPlace) {
  EXPECT_EQ(error_of("s,A100,mma.sync,fp16,m16n8k16,2,4,3,24,900"),
            "t.csv:2:31: error: sparse is '2', must be 0 or 1");
  EXPECT_EQ(error_of("s,A100,mma.sync,fp16,m16n8k16,0,0,3,24,900"),
            "t.csv:2:33: error: warps is '0', must be a whole number from 1 to 2147483647 or "
            "empty");
  EXPECT_EQ(error_of("s,A100,mma.sync,fp16,m16n8k16,0,4,1.5,24,900"),
            "t.csv:2:35: error: ilp is '1.5', must be a whole number from 1 to 2147483647 or "
            "empty");
  EXPECT_EQ(error_of("s,A100,mma.sync,fp16,m16n8k16,0,4,3,fast,900"),
            "t.csv:2:37: error: latency_cycles is 'fast', must be a number above 0, MISSING or "
            "empty");
  EXPECT_EQ(error_of("s,A100,mma.sync,fp16,m16n8k16,0,4,3,24,-1"),
            "t.csv:2:40: error: throughput_fma_per_clk_sm is '-1', must be a number above 0, "
            "MISSING or empty");
}

TEST_F(InstructionTable, NeedsItsColumns) {
  std::ofstream(path_) << "source,gpu,instr\ns,A100,mma\n";
  const std::string message =
      test::message_of<ConfigError>([&] { (void)read_measured_instructions(path_); });
  EXPECT_NE(message.find("the table has no column 'dtype'"), std::string::npos) << message;
}

}  // namespace
}  // namespace stcsim
