#include <gtest/gtest.h>

#include "models/metadata_buffer/metadata_buffer.hpp"
#include "models/register_file/register_file.hpp"
#include "tests/support/sub_core_hardware.hpp"

namespace stcsim {
namespace {

/// m16n8k16 with accumulators of 32 bits: 512 bytes of A, 256 of B, 512 of C and as many of D.
const MmaInstruction kDenseInstruction{DataType::fp16, kDense, 16, 8, 16, 10, 0};

TEST(RegisterFile, SuppliesAAndB) {
  OperandFetchConfig config;
  config.register_bytes_per_clk = 192;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(4));
}

TEST(RegisterFile, MovesAccumulatorsBesideThem) {
  OperandFetchConfig config;
  config.register_bytes_per_clk = 192;
  config.accumulator_bytes_per_clk = 128;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(8));
  config.register_bytes_per_clk = 0;  // operands come straight from shared memory
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(8));
  config.accumulator_bytes_per_clk = 512;
  config.register_bytes_per_clk = 192;
  EXPECT_EQ(RegisterFile::cycles(config, kDenseInstruction), Cycles(4));
}

/// 32 bytes of metadata, decoded in 3 cycles.
class MetadataBufferCycles : public testing::Test {
 protected:
  MetadataBufferCycles() { config_.metadata_decode_cycles = 3; }

  [[nodiscard]] Cycles cycles() const {
    return MetadataBuffer::cycles(config_, test::sparse_instruction());
  }

  OperandSelectorConfig config_;
};

TEST_F(MetadataBufferCycles, AreThoseOfDecoding) {
  EXPECT_EQ(cycles(), Cycles(3));
  EXPECT_EQ(MetadataBuffer::cycles(config_, kDenseInstruction), Cycles(0));
}

/// The words of the next instruction come in 4 cycles, meanwhile or afterwards.
TEST_F(MetadataBufferCycles, AreThoseOfFillingToo) {
  config_.metadata_fill_bytes_per_clk = 8;
  config_.metadata_buffer_bytes = 64;
  EXPECT_EQ(cycles(), Cycles(4));
  config_.metadata_buffer_bytes = 63;
  EXPECT_EQ(cycles(), Cycles(4 + 3));
}

}  // namespace
}  // namespace stcsim
