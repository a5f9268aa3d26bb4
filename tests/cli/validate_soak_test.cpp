#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cell_errors.hpp"
#include "tests/cli/gemm_agreement.hpp"
#include "tests/cli/validate_check.hpp"

namespace stcsim {
namespace {

/// What the project promises of every card, and keeps.
constexpr CellBound kPromised[]{
    {"a100_80gb", "bf16", true, 7, 0, 0},         {"a100_80gb", "bf16", false, 12, 0, 0},
    {"a100_pcie", "fp16", true, 7, 8, 8},         {"a100_pcie", "fp16", false, 13, 12, 15},
    {"a100_pcie", "int8", true, 8, 8, 8},         {"a100_pcie", "int8", false, 13, 12, 15},
    {"rtx3090", "fp16", true, 6, 6, 6},           {"h100_sxm", "bf16", true, 6, 0, 0},
    {"h100_sxm", "bf16", false, 8, 0, 0},         {"h100_pcie", "bf16", true, 8, 9, 11},
    {"h100_pcie", "bf16", false, 15, 10, 18},     {"h100_pcie", "fp8_e4m3", true, 8, 8, 9},
    {"h100_pcie", "fp8_e4m3", false, 15, 10, 18}, {"h100_pcie", "int8", true, 10, 8, 11},
    {"h100_pcie", "int8", false, 15, 10, 18}};

/// All tables that come with the program, whole.
TEST(ValidateShippedSoak, EveryRowIsPredictedOrSkippedWithAReason) {
  const auto document = validated({});
  EXPECT_EQ(document["results"].size(), 278U + 2112U);
  expect_predicted_or_skipped(document["results"]);
  expect_within(document["results"], kPromised, 5);
  expect_that_gemm_says_the_same(document["results"], 2418U);
  EXPECT_EQ(document["instructions"].size(), 75U);
  EXPECT_EQ(document["networks"].size(), 105U);
  EXPECT_EQ(document["streams"].size(), 866U);
}

}  // namespace
}  // namespace stcsim
