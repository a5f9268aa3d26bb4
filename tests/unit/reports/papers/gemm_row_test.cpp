// Rows about single GEMMs.
#include "reports/papers/gemm_row.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

using ::testing::HasSubstr;

template <class Read>
auto read_row(const std::string& text, Read read) {
  const YamlDocument document = parse_yaml(text, "row.yaml");
  MapReader map(document);
  return read(map);
}

PaperColumn on(const std::string& machine) {
  PaperColumn column;
  column.name = "here";
  column.machine = machine;
  return column;
}

TEST(GemmRowTest, ReadsItselfAndWhatItIsHeldAgainst) {
  const GemmRow row = read_row(
      "{m: 128, n: 64, k: 32, dtype: int8, pattern: \"2:4\", against_dtype: fp16, quantity: gain}",
      &read_gemm_row);
  EXPECT_EQ(row.problem.a_pattern, (Pattern{2, 4}));
  EXPECT_EQ(row.against.a_pattern, kDense);
  EXPECT_EQ(row.against.dtype, DataType::fp16);
  EXPECT_EQ(row.against.m, 128);
  EXPECT_EQ(gemms_of(row), (std::vector{row.problem, row.against}));
  const std::string error = error_of([] {
    static_cast<void>(
        read_row("{m: 1, n: 1, k: 1, against: \"1:2\", quantity: us}", &read_gemm_row));
  });
  EXPECT_THAT(error, HasSubstr("'against' has no effect but on quantity: gain"));
}

/// As files of claims had them.
TEST(GemmRowTest, FormerNamesOfQuantitiesAreRefusedWithTodays) {
  const auto error = [](const std::string& name) {
    return error_of([&] {
      static_cast<void>(read_row("{m: 1, n: 1, k: 1, quantity: " + name + "}", &read_gemm_row));
    });
  };
  EXPECT_EQ(error("kernel_gain"),
            "row.yaml:1:30: error: 'quantity' is 'kernel_gain', which is called 'gain' now");
  EXPECT_THAT(error("wgrad_gain"), HasSubstr("called 'gemm_gain' of products: [wgrad] now"));
}

/// Times of made-up launches at 1 GHz: 4 us against 10 us, and 2 * 128 * 64 * 32 operations.
TEST(GemmRowTest, GainsAndRatesFollowFromTimes) {
  const MachineConfig machine = load_machine("a100").config;
  GemmRow row =
      read_row("{m: 128, n: 64, k: 32, pattern: \"2:4\", quantity: gain}", &read_gemm_row);
  GemmRun sparse;
  sparse.result.clock_mhz = 1000;
  sparse.result.cycles = 4000;
  sparse.result.multiplier_macs = 1;
  sparse.result.peak_macs = 2;
  GemmRun dense = sparse;
  dense.result.cycles = 10000;
  const std::vector results{std::make_shared<const GemmRun>(sparse),
                            std::make_shared<const GemmRun>(dense)};
  EXPECT_DOUBLE_EQ(answer_of(row, on("a100"), machine, results).value, 2.5);
  row.quantity = Quantity::kernel_cycles;
  EXPECT_DOUBLE_EQ(answer_of(row, on("a100"), machine, results).value, 4000);
  row.quantity = Quantity::kernel_us;
  EXPECT_DOUBLE_EQ(answer_of(row, on("a100"), machine, results).value, 4);
  row.quantity = Quantity::kernel_tflops;
  EXPECT_DOUBLE_EQ(answer_of(row, on("a100"), machine, results).value, 0.131072);
}

}  // namespace
}  // namespace stcsim
