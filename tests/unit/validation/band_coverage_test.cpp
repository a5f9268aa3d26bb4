#include "reports/validation/band_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/io/csv_table.hpp"
#include "reports/validation/counter_rows.hpp"

namespace stcsim {
namespace {

/// results/validation_residuals.csv: every row as `make validation` compared it.
const std::vector<Residual>& shipped_residuals() {
  static const std::vector<Residual> residuals = [] {
    const CsvTable table = CsvTable::read(STCSIM_SOURCE_DIR "/results/validation_residuals.csv");
    std::vector<Residual> rows;
    for (const CsvTable::Row& row : table.rows()) {
      const auto text = [&](const char* column) { return row[table.column(column)].text; };
      rows.push_back({text("machine"), text("dtype"), text("quantity"), text("regime"),
                      text("group"), std::stod(text("ln_measured_over_simulated"))});
    }
    return rows;
  }();
  return residuals;
}

ErrorTables shipped_tables() {
  return *read_error_tables(STCSIM_SOURCE_DIR "/configs/validation");
}

double share(std::int64_t part, std::int64_t rows) {
  return static_cast<double>(part) / static_cast<double>(rows);
}

/// Cells that are not of times: no interval is made of them.
bool has_no_residuals(const ErrorCell& cell) {
  return cell.quantity == "selection" ||
         std::ranges::any_of(kCounterFigures, [&](const CounterFigure& figure) {
           return cell.quantity.ends_with(figure.key);
         });
}

/// The shipped file is what the program makes of the shipped rows.
TEST(ShippedErrors, AreMadeOfTheShippedRows) {
  const ErrorTables tables = shipped_tables();
  std::vector<ErrorCell> shipped = tables.cells;
  std::erase_if(shipped, has_no_residuals);
  const std::vector<ErrorCell> made = error_cells(shipped_residuals(), tables.dies);
  ASSERT_EQ(shipped.size(), made.size());
  for (std::size_t at = 0; at < made.size(); ++at) {
    const std::string name =
        made[at].quantity + " " + made[at].machine + " " + made[at].dtype + " " + made[at].regime;
    EXPECT_EQ(shipped[at].rows, made[at].rows) << name;
    EXPECT_NEAR(shipped[at].bias, made[at].bias, 2e-4) << name;
    ASSERT_EQ(shipped[at].band.has_value(), made[at].band.has_value()) << name;
    if (!made[at].band) continue;
    EXPECT_NEAR(shipped[at].band->in_95.low, made[at].band->in_95.low, 1e-4) << name;
    EXPECT_NEAR(shipped[at].band->in_80.high, made[at].band->in_80.high, 1e-4) << name;
  }
}

void expect_calibrated(HeldOut held_out) {
  int regimes = 0;
  for (const BandCoverage& of : band_coverage(shipped_residuals(), shipped_tables(), held_out)) {
    if (of.quantity == "step" || of.rows < 60) continue;
    SCOPED_TRACE(of.quantity + ", " + of.regime);
    EXPECT_GE(share(of.in_95, of.rows), 0.90);
    EXPECT_LE(share(of.in_95, of.rows), 0.99);
    EXPECT_GE(share(of.in_80, of.rows), 0.72);
    EXPECT_LE(share(of.in_80, of.rows), 0.90);
    ++regimes;
  }
  EXPECT_GE(regimes, 9) << "of dense and sparse times and gains";
}

TEST(ShippedBands, HoldGemmsOfACardThatIsLeftOut) {
  expect_calibrated(HeldOut::card);
}

TEST(ShippedBands, HoldGemmsOfNetworksThatAreLeftOut) {
  expect_calibrated(HeldOut::network);
}

struct Steps {
  std::int64_t rows = 0;
  std::int64_t inside = 0;
  double least_share = 1;
  /// High end / low end, in the median over all rows.
  double median_ratio = 0;
};

/// Rows as they are: bands are the same for what shares a card, framework and network.
Steps steps_held_out(HeldOut held_out) {
  Steps steps;
  std::vector<double> ratios;
  for (const BandCoverage& of : band_coverage(shipped_residuals(), shipped_tables(), held_out)) {
    if (of.quantity != "step") continue;
    steps.rows += of.rows;
    steps.inside += of.in_95;
    steps.least_share = std::min(steps.least_share, share(of.in_95, of.rows));
    ratios.insert(ratios.end(), of.ratios.begin(), of.ratios.end());
  }
  std::sort(ratios.begin(), ratios.end());
  steps.median_ratio = ratios.at(ratios.size() / 2);
  return steps;
}

TEST(ShippedBands, HoldStepsOfANetworkThatIsLeftOut) {
  const Steps steps = steps_held_out(HeldOut::network);
  EXPECT_GE(steps.rows, 74);
  EXPECT_GE(share(steps.inside, steps.rows), 0.85);
  EXPECT_LE(steps.median_ratio, 1.6);
}

TEST(ShippedBands, HoldStepsOfACardThatIsLeftOut) {
  const Steps steps = steps_held_out(HeldOut::card);
  EXPECT_GE(steps.rows, 74);
  EXPECT_GE(share(steps.inside, steps.rows), 0.85);
  EXPECT_GE(steps.least_share, 0.70);
  EXPECT_LE(steps.median_ratio, 2.5);
}

/// Two cards of 40 rows, the one's all at 0, the other's all at 1: neither band holds the other.
TEST(BandCoverage, IsOfRowsThatTheBandWasNotMadeOf) {
  std::vector<Residual> rows;
  for (int at = 0; at < 40; ++at) {
    const std::string regime{kGemmRegimes[3]};
    const std::string group = "g" + std::to_string(at);
    rows.push_back({"a", "fp16", "dense", regime, group, 0});
    rows.push_back({"b", "fp16", "dense", regime, group, 1});
  }
  const auto by_card = band_coverage(rows, {}, HeldOut::card);
  ASSERT_EQ(by_card.size(), 1U);
  EXPECT_EQ(by_card[0].rows, 80);
  EXPECT_EQ(by_card[0].in_95, 40) << "bands hold what was simulated: 0";
  const auto by_network = band_coverage(rows, {}, HeldOut::network);
  EXPECT_EQ(by_network[0].in_95, 80) << "36 rows are too few, 72 of both cards hold 0 and 1";
}

}  // namespace
}  // namespace stcsim
