#include "reports/validation/fidelity.hpp"

#include <gtest/gtest.h>

#include "reports/validation/selection.hpp"
#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

using test::dense_row;

std::vector<CellKey> keys_of(const std::vector<ValidationRow>& rows) {
  std::vector<CellKey> keys;
  for (const FidelityCell& cell : fidelity_cells(rows)) keys.push_back(cell.key);
  return keys;
}

CellKey key(std::string stack, std::string source, std::optional<RowUse> use) {
  return {"x", DataType::fp16, SizeClass::large, std::move(stack), std::move(source), use};
}

/// 20 us is large. A row without a measured dense time goes by the simulated one.
TEST(FidelityCells, SizeGoesByDenseTime) {
  EXPECT_EQ(size_class(dense_row(20.0, 1.0)), SizeClass::large);
  EXPECT_EQ(size_class(dense_row(19.9, 100.0)), SizeClass::small);
  ValidationRow gain = dense_row(1.0, 30.0);
  gain.gemm.measured = {std::nullopt, 10.0, 3.0};
  EXPECT_EQ(size_class(gain), SizeClass::large);
  gain.simulated.dense_us = std::nullopt;
  EXPECT_EQ(size_class(gain), SizeClass::small);
}

TEST(FidelityCells, OneOriginNeedsNoTotalsByUse) {
  std::vector<ValidationRow> rows{dense_row(20, 20), dense_row(20, 20)};
  rows[1].gemm.use = RowUse::fitting;
  EXPECT_EQ(keys_of(rows), (std::vector<CellKey>{key("", "", {}), key("a", "s", RowUse::fitting),
                                                 key("a", "s", RowUse::testing)}));
}

TEST(FidelityCells, SeveralOriginsHaveTotalsByUseAndByStack) {
  std::vector<ValidationRow> rows(3, dense_row(20, 20));
  rows[0].gemm.use = RowUse::fitting;
  rows[1].gemm.stack = "b";
  rows[2].gemm.source = "t @1f";
  EXPECT_EQ(keys_of(rows),
            (std::vector<CellKey>{key("", "", {}), key("", "", RowUse::fitting),
                                  key("", "", RowUse::testing), key("a", "", {}), key("b", "", {}),
                                  key("a", "s", RowUse::fitting), key("b", "s", RowUse::testing),
                                  key("a", "t", RowUse::testing)}));
}

TEST(FidelityCells, MachinesTypesAndSizesStandApart) {
  std::vector<ValidationRow> rows(4, dense_row(20, 20));
  rows[1].machine = "y";
  rows[2].gemm.problem.dtype = DataType::int8;
  rows[3].gemm.measured.dense_us = 1;
  std::vector<CellKey> totals;
  for (const CellKey& one : keys_of(rows)) {
    if (one.source.empty()) totals.push_back(one);
  }
  EXPECT_EQ(totals, (std::vector<CellKey>{{"x", DataType::fp16, SizeClass::large},
                                          {"x", DataType::fp16, SizeClass::small},
                                          {"x", DataType::int8, SizeClass::large},
                                          {"y", DataType::fp16, SizeClass::large}}));
}

/// Rows that are only shown count in no total; skipped ones nowhere.
TEST(FidelityCells, RowsThatAreOnlyShownStandApart) {
  std::vector<ValidationRow> rows(3, dense_row(100, 125));
  rows[1].gemm.use = RowUse::shown;
  rows[1].simulated.dense_us = 200;
  rows[2].skipped = "why";
  const std::vector<FidelityCell> cells = fidelity_cells(rows);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[0].key, key("", "", {}));
  EXPECT_EQ(cells[0].simulated[0].rows, 1);
  EXPECT_DOUBLE_EQ(cells[0].simulated[0].bias, 0.25);
  EXPECT_EQ(cells[2].key, key("a", "s", RowUse::shown));
  EXPECT_DOUBLE_EQ(cells[2].simulated[0].bias, 1.0);
}

/// Dense +25 %, sparse -20 %, so the gain +56.25 %; by the roofline -50 %, by tiles -25 %.
TEST(FidelityCells, HaveTheErrorsOfEachQuantityAndModel) {
  ValidationRow row = dense_row(100, 125);
  row.gemm.measured = {100.0, 50.0, 2.0};
  row.simulated = {125.0, 40.0, 3.125};
  row.roofline = {50.0, std::nullopt, std::nullopt};
  row.tiles = {75.0, std::nullopt, std::nullopt};
  const FidelityCell cell = fidelity_cells({row}).front();
  EXPECT_DOUBLE_EQ(cell.simulated[0].bias, 0.25);
  EXPECT_NEAR(cell.simulated[1].bias, -0.2, 1e-15);
  EXPECT_DOUBLE_EQ(cell.simulated[2].bias, 0.5625);
  EXPECT_DOUBLE_EQ(cell.roofline[0].bias, -0.5);
  EXPECT_DOUBLE_EQ(cell.tiles[0].bias, -0.25);
  EXPECT_EQ(cell.roofline[1].rows, 0);
}

/// Half ranges of 10 % and 30 %; 109 lies within 95 to 115, 150 not within 70 to 130; the third
/// row has no range.
TEST(FidelityCells, SpreadIsThatOfTheMeasurements) {
  std::vector<ValidationRow> rows{dense_row(100, 109), dense_row(100, 150), dense_row(100, 100)};
  rows[0].gemm.dense_range_us = {95, 115};
  rows[1].gemm.dense_range_us = {70, 130};
  const SpreadSummary spread = fidelity_cells(rows).front().spread;
  EXPECT_EQ(spread.rows, 2);
  EXPECT_DOUBLE_EQ(spread.half_range, 0.2);
  EXPECT_DOUBLE_EQ(spread.within, 0.5);
}

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

ValidationRow gain_row(double measured, double simulated) {
  ValidationRow row = test::dense_row(100, 100);
  row.gemm.problem.a_pattern = {2, 4};
  row.gemm.measured.speedup = measured;
  row.simulated.speedup = simulated;
  return row;
}

/// Errors of 0.25 / 1.25, 0.5 / 2 and 0: the mean is 0.15.
TEST(Selection, IsWhatIsClaimedAndWhatIsGot) {
  const std::vector<ValidationRow> rows{gain_row(1.25, 1.5), gain_row(2, 1.5),
                                        gain_row(1.0625, 1.0625)};
  const std::vector<Selection> all = selections(rows);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].machine, "x");
  EXPECT_EQ(all[0].rows, 3);
  EXPECT_EQ(all[0].sparse, 2) << "1.0625 is no more than gains are off";
  EXPECT_DOUBLE_EQ(all[0].threshold, 0.15);
  EXPECT_DOUBLE_EQ(all[0].claimed, (1.5 + 1.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(all[0].got, (1.25 + 2 + 1) / 3);
  EXPECT_NEAR(all[0].excess(), 4 / 4.25 - 1, 1e-12);
}

TEST(Selection, IsOfScoredRowsOfTwoOfFour) {
  std::vector<ValidationRow> rows{gain_row(1.5, 1.5), gain_row(1.5, 1.5), gain_row(1.5, 1.5)};
  rows[0].gemm.use = RowUse::shown;
  rows[1].gemm.problem.a_pattern = {1, 4};
  rows[2].skipped = "no machine";
  EXPECT_TRUE(selections(rows).empty());
}

}  // namespace
}  // namespace stcsim
