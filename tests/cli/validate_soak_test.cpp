#include <algorithm>
#include <cstddef>

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
  const auto& rows = document["results"];
  EXPECT_EQ(rows.size(), 278U + 2424U + 1257U + 274U + 68U);
  expect_predicted_or_skipped(rows);
  expect_within(rows, kPromised, 5);
  const auto run =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row["skipped"] == ""; });
  EXPECT_GT(run, 3500);
  expect_that_gemm_says_the_same(rows, static_cast<std::size_t>(run));
  EXPECT_EQ(document["instructions"].size(), 123U);
  EXPECT_EQ(document["networks"].size(), 200U);
  EXPECT_EQ(document["streams"].size(), 866U + 52U);
}

/// Patterns (2N-2):2N as windows of 2:4, no row of which made a machine: the sparse time within 12
/// per cent in the mean, 15 in int8. The RTX 4090's int8, dense and 2:4, is simulated too fast
/// (docs/evidence.md).
TEST(ValidateWindowsSoak, StretchedProductsTakeAsLongAsMeasured) {
  constexpr CellBound kWindows[]{
      {"a100_pcie", "bf16", true, 0, 12, 0},   {"a100_pcie", "int8", true, 0, 15, 0},
      {"h100_pcie", "bf16", true, 0, 12, 0},   {"h100_pcie", "fp8_e4m3", true, 0, 12, 0},
      {"h100_pcie", "int8", true, 0, 15, 0},   {"rtx4090", "bf16", true, 0, 12, 0},
      {"rtx4090", "fp8_e4m3", true, 0, 12, 0}, {"rtx4090", "int8", true, 0, 18, 0},
      {"b200", "bf16", true, 0, 12, 0},        {"b200", "fp8_e4m3", true, 0, 12, 0}};
  const auto rows =
      validated({STCSIM_SOURCE_DIR "/configs/validation/gemm_patterns.csv"})["results"];
  EXPECT_EQ(rows.size(), 234U);
  expect_predicted_or_skipped(rows);
  constexpr double kAnyBias = 18;
  expect_within(rows, kWindows, kAnyBias);
}

}  // namespace
}  // namespace stcsim
