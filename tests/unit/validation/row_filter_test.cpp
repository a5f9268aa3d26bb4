#include <gtest/gtest.h>

#include "reports/validation/validation_run.hpp"

namespace stcsim {
namespace {

/// GPU "X" is machine "x"; nothing stands for any other.
const std::string* machine_of(const std::string& gpu) {
  static const std::string kMachine = "x";
  return gpu == "X" ? &kMachine : nullptr;
}

MeasuredGemm gemm(const std::string& gpu, DataType dtype, RowUse use) {
  MeasuredGemm row;
  row.gpu = gpu;
  row.problem.dtype = dtype;
  row.use = use;
  return row;
}

/// A GEMM on X and one on Y, instructions on X, Y and on machine x by name, a network on X in int8.
MeasuredTables tables() {
  MeasuredTables tables;
  tables.gemms = {gemm("X", DataType::fp16, RowUse::fitting),
                  gemm("Y", DataType::int8, RowUse::testing)};
  tables.instructions.resize(3);
  tables.instructions[0].gpu = "X";
  tables.instructions[1].gpu = "Y";
  tables.instructions[2].gpu = "Z";
  tables.instructions[2].machine = "x";
  tables.networks.resize(1);
  tables.networks[0].gpu = "X";
  tables.networks[0].dtype = DataType::int8;
  return tables;
}

TEST(RowFilter, WithoutConditionsEverythingPasses) {
  const MeasuredTables all = filter_rows(tables(), {}, machine_of);
  EXPECT_EQ(all.gemms.size(), 2U);
  EXPECT_EQ(all.instructions.size(), 3U);
  EXPECT_EQ(all.networks.size(), 1U);
}

TEST(RowFilter, KeepsRowsOfAMachine) {
  const MeasuredTables kept = filter_rows(tables(), {"x"}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "X");
  ASSERT_EQ(kept.instructions.size(), 2U);
  EXPECT_EQ(kept.instructions[0].gpu, "X");
  EXPECT_EQ(kept.instructions[1].machine, "x");
  EXPECT_EQ(kept.networks.size(), 1U);
}

TEST(RowFilter, KeepsRowsOfADataType) {
  const MeasuredTables kept = filter_rows(tables(), {"", DataType::int8}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "Y");
  EXPECT_TRUE(kept.instructions.empty());
  EXPECT_EQ(kept.networks.size(), 1U);
}

TEST(RowFilter, OnlyGemmsHaveAUse) {
  const MeasuredTables kept = filter_rows(tables(), {"", {}, RowUse::fitting}, machine_of);
  ASSERT_EQ(kept.gemms.size(), 1U);
  EXPECT_EQ(kept.gemms[0].gpu, "X");
  EXPECT_TRUE(kept.instructions.empty());
  EXPECT_TRUE(kept.networks.empty());
}

TEST(RowFilter, NothingLeftIsAnError) {
  EXPECT_THROW((void)filter_rows(tables(), {"", {}, RowUse::shown}, machine_of), ConfigError);
}

}  // namespace
}  // namespace stcsim
