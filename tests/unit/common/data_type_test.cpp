#include "common/data_type.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

struct Expectation {
  DataType type;
  const char* name;
  std::int64_t bytes;
  DataType accumulator;
  DataType output;
};

// Accumulator and result types as the PTX ISA's mma instruction and cuBLAS define them.
constexpr std::array<Expectation, 8> kExpectations{{
    {DataType::fp16, "fp16", 2, DataType::fp32, DataType::fp16},
    {DataType::bf16, "bf16", 2, DataType::fp32, DataType::bf16},
    {DataType::tf32, "tf32", 4, DataType::fp32, DataType::fp32},
    {DataType::int8, "int8", 1, DataType::int32, DataType::int8},
    {DataType::fp8_e4m3, "fp8_e4m3", 1, DataType::fp32, DataType::fp16},
    {DataType::fp8_e5m2, "fp8_e5m2", 1, DataType::fp32, DataType::fp16},
    {DataType::fp32, "fp32", 4, DataType::fp32, DataType::fp32},
    {DataType::int32, "int32", 4, DataType::int32, DataType::int32},
}};

TEST(DataType, HasSizeAccumulatorAndOutput) {
  for (const Expectation& expected : kExpectations) {
    SCOPED_TRACE(expected.name);
    EXPECT_EQ(bytes_per_element(expected.type), expected.bytes);
    EXPECT_EQ(accumulator_of(expected.type), expected.accumulator);
    EXPECT_EQ(output_of(expected.type), expected.output);
  }
}

TEST(DataType, NamesGoBothWays) {
  for (const Expectation& expected : kExpectations) {
    EXPECT_EQ(to_string(expected.type), expected.name);
    EXPECT_EQ(data_type_from_string(expected.name), expected.type);
  }
}

TEST(DataType, OtherNamesAreNothing) {
  for (const char* name : {"", "fp", "fp16 ", " fp16", "FP16", "float16", "fp8", "int4"}) {
    EXPECT_EQ(data_type_from_string(name), std::nullopt) << '\'' << name << '\'';
  }
}

TEST(DataType, OperandsAreTheTypesTensorCoresMultiply) {
  const std::vector<DataType> expected{DataType::fp16, DataType::bf16,     DataType::tf32,
                                       DataType::int8, DataType::fp8_e4m3, DataType::fp8_e5m2};
  EXPECT_EQ(operand_data_types(), expected);
}

}  // namespace
}  // namespace stcsim
