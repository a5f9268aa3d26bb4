#include <gtest/gtest.h>

#include "reports/validation/fidelity.hpp"
#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

/// One row: dense +10 %, sparse -20 %, both models half of what was measured.
std::vector<FidelityCell> sample_cells() {
  ValidationRow row = test::dense_row(100, 110);
  row.gemm.measured.sparse_us = 50;
  row.simulated.sparse_us = 40;
  row.roofline = {50.0, 25.0, std::nullopt};
  row.tiles = {50.0, 25.0, std::nullopt};
  row.gemm.dense_range_us = {90, 110};
  return fidelity_cells({row});
}

TEST(FidelityTables, AreForPeople) {
  EXPECT_EQ(fidelity_table(sample_cells(), true).to_markdown(),
            "| machine | type | dense time | rows of | quantity | rows | mean \\|error\\| | bias | "
            "roofline | tiles | spread | within |\n"
            "|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n"
            "| x | fp16 | from 20 us | all | dense time | 1 | 10.0 % | +10.0 % | 50.0 % | 50.0 % | "
            "10.0 % | 100.0 % |\n"
            "| x | fp16 | from 20 us | all | sparse time | 1 | 20.0 % | -20.0 % | 50.0 % | 50.0 % "
            "| - | - |\n"
            "| x | fp16 | from 20 us | testing: s, a | dense time | 1 | 10.0 % | +10.0 % | 50.0 % "
            "| 50.0 % | 10.0 % | 100.0 % |\n"
            "| x | fp16 | from 20 us | testing: s, a | sparse time | 1 | 20.0 % | -20.0 % | 50.0 % "
            "| 50.0 % | - | - |\n");
  const std::string short_one = fidelity_table(sample_cells(), false).to_markdown();
  EXPECT_EQ(short_one.find("testing"), std::string::npos);
}

TEST(FidelityTables, NameTheirRows) {
  std::vector<ValidationRow> rows(2, test::dense_row(1, 1));
  rows[0].gemm.use = RowUse::shown;
  rows[0].gemm.stack = "b";
  const std::string text = fidelity_table(fidelity_cells(rows), true).to_markdown();
  EXPECT_NE(text.find("| below | not scored |"), std::string::npos);
  EXPECT_NE(text.find("| below | not scored: s, b |"), std::string::npos);
}

TEST(FidelityTables, AreForPrograms) {
  const std::vector<nlohmann::ordered_json> objects = fidelity_json(sample_cells());
  ASSERT_EQ(objects.size(), 4U);
  EXPECT_EQ(objects[0]["use"], "scored");
  EXPECT_EQ(objects[0]["from_us"], 20.0);
  EXPECT_EQ(objects[0]["spread_half_range"], 0.1);
  EXPECT_EQ(objects[3]["machine"], "x");
  EXPECT_EQ(objects[3]["dtype"], "fp16");
  EXPECT_EQ(objects[3]["source"], "s");
  EXPECT_EQ(objects[3]["stack"], "a");
  EXPECT_EQ(objects[3]["use"], "testing");
  EXPECT_EQ(objects[3]["quantity"], "sparse");
  EXPECT_EQ(objects[3]["rows"], 1);
  EXPECT_DOUBLE_EQ(objects[3]["bias"].get<double>(), -0.2);
  EXPECT_EQ(objects[3]["roofline_bias"], -0.5);
  EXPECT_EQ(objects[3]["tiles_mean_absolute_error"], 0.5);
  EXPECT_TRUE(objects[3]["spread_half_range"].is_null());
}

TEST(FidelityTables, CsvHasTheSameColumnsWithoutRows) {
  const std::string header =
      "machine,dtype,from_us,stack,source,use,quantity,rows,mean_absolute_error,bias,"
      "roofline_mean_absolute_error,roofline_bias,tiles_mean_absolute_error,tiles_bias,"
      "spread_rows,spread_half_range,within_spread\r\n";
  EXPECT_EQ(fidelity_csv({}), header);
  EXPECT_TRUE(fidelity_csv(sample_cells()).starts_with(header + "x,fp16,20.0,,,scored,dense,1,"));
}

}  // namespace
}  // namespace stcsim
