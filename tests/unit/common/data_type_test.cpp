#include "common/data_type.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

struct Expectation {
  DataType type;
  const char* name;
  std::int64_t bits;
  DataType accumulator;
  DataType output;
};

// Accumulator and result types as the PTX ISA's mma instruction, cuBLAS and, for int4, CUTLASS'
// example 15 define them.
constexpr std::array<Expectation, 10> kExpectations{{
    {DataType::fp16, "fp16", 16, DataType::fp32, DataType::fp16},
    {DataType::bf16, "bf16", 16, DataType::fp32, DataType::bf16},
    {DataType::tf32, "tf32", 32, DataType::fp32, DataType::fp32},
    {DataType::int8, "int8", 8, DataType::int32, DataType::int8},
    {DataType::int4, "int4", 4, DataType::int32, DataType::int32},
    {DataType::fp8_e4m3, "fp8_e4m3", 8, DataType::fp32, DataType::fp16},
    {DataType::fp8_e5m2, "fp8_e5m2", 8, DataType::fp32, DataType::fp16},
    {DataType::nvfp4, "nvfp4", 4, DataType::fp32, DataType::fp16},
    {DataType::fp32, "fp32", 32, DataType::fp32, DataType::fp32},
    {DataType::int32, "int32", 32, DataType::int32, DataType::int32},
}};

TEST(DataType, HasSizeAccumulatorAndOutput) {
  for (const Expectation& expected : kExpectations) {
    SCOPED_TRACE(expected.name);
    EXPECT_EQ(bytes_of(expected.type, 8), expected.bits);
    EXPECT_EQ(accumulator_of(expected.type), expected.accumulator);
    EXPECT_EQ(output_of(expected.type), expected.output);
  }
}

/// Two int4 share a byte; a last one alone takes a byte of its own.
TEST(DataType, BytesAreWholeAndHoldTheirElements) {
  EXPECT_EQ(bytes_of(DataType::int4, 0), 0);
  EXPECT_EQ(bytes_of(DataType::int4, 1), 1);
  EXPECT_EQ(bytes_of(DataType::int4, 2), 1);
  EXPECT_EQ(bytes_of(DataType::int4, 33), 17);
  EXPECT_EQ(bytes_of(DataType::fp16, 33), 66);
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  EXPECT_EQ(bytes_of(DataType::fp32, kMost + 1), 4 * kMost + 4);
  EXPECT_EQ(bytes_of(DataType::int4, kMost + 1), kMost / 2 + 1);
  EXPECT_EQ(elements_in(DataType::int4, 3), 6);
  EXPECT_EQ(elements_in(DataType::tf32, 64), 16);
  for (const Expectation& expected : kExpectations) {
    EXPECT_EQ(elements_in(expected.type, bytes_of(expected.type, 64)), 64) << expected.name;
  }
}

/// NVIDIA's blocks of 4-bit numbers: a byte of scale for 16, for what is left of a row too.
TEST(DataType, BlocksOfSixteenHaveAScale) {
  EXPECT_EQ(scale_bytes_of(DataType::nvfp4, 0), 0);
  EXPECT_EQ(scale_bytes_of(DataType::nvfp4, 1), 1);
  EXPECT_EQ(scale_bytes_of(DataType::nvfp4, 16), 1);
  EXPECT_EQ(scale_bytes_of(DataType::nvfp4, 17), 2);
  for (const Expectation& expected : kExpectations) {
    if (expected.type == DataType::nvfp4) continue;
    EXPECT_EQ(scale_bytes_of(expected.type, 64), 0) << expected.name;
  }
}

/// Bytes of C are counted element by element.
TEST(DataType, ResultsAndSumsTakeWholeBytes) {
  for (const DataType type : operand_data_types()) {
    for (const DataType stored : {output_of(type), accumulator_of(type)}) {
      EXPECT_EQ(bytes_of(stored, 8), 8 * bytes_of(stored, 1)) << to_string(type);
    }
  }
}

TEST(DataType, NamesGoBothWays) {
  for (const Expectation& expected : kExpectations) {
    EXPECT_EQ(to_string(expected.type), expected.name);
    EXPECT_EQ(data_type_from_string(expected.name), expected.type);
  }
}

TEST(DataType, OtherNamesAreNothing) {
  for (const char* name : {"", "fp", "fp16 ", " fp16", "FP16", "float16", "fp8", "int", "uint4"}) {
    EXPECT_EQ(data_type_from_string(name), std::nullopt) << '\'' << name << '\'';
  }
}

TEST(DataType, OperandsAreTheTypesTensorCoresMultiply) {
  const std::vector<DataType> expected{DataType::fp16,     DataType::bf16, DataType::tf32,
                                       DataType::int8,     DataType::int4, DataType::fp8_e4m3,
                                       DataType::fp8_e5m2, DataType::nvfp4};
  EXPECT_EQ(operand_data_types(), expected);
}

}  // namespace
}  // namespace stcsim
