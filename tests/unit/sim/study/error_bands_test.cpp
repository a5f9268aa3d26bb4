#include "sim/study/error_bands.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stcsim {
namespace {

/// 1 to `rows`, in no order.
std::vector<double> numbers(int rows) {
  std::vector<double> values;
  for (int at = 1; at <= rows; ++at) values.push_back(at);
  std::reverse(values.begin(), values.end());
  return values;
}

/// Of 39 to 78 rows all, of 79 all but one at either end; of 80 % ranks 4 and 8.
TEST(MiddleOf, AreRanksOfOneMoreThanTheRows) {
  EXPECT_FALSE(middle_of(numbers(38), 0.95));
  EXPECT_EQ(middle_of(numbers(39), 0.95), (LogRange{1, 39}));
  EXPECT_EQ(middle_of(numbers(78), 0.95), (LogRange{1, 78}));
  EXPECT_EQ(middle_of(numbers(79), 0.95), (LogRange{2, 78}));
  EXPECT_EQ(middle_of(numbers(39), 0.80), (LogRange{4, 36}));
  EXPECT_EQ(middle_of(numbers(79), 0.80), (LogRange{8, 72}));
}

/// The next of so many exchangeable values: the share is at least what is said, and at most two of
/// (values + 1) more.
TEST(MiddleOf, HoldsTheNextValueAsOftenAsItSays) {
  constexpr unsigned kSeed = 59;
  constexpr int kDraws = 20'000;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::lognormal_distribution<double> skewed(0, 1);
  int inside = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> values(60);
    for (double& value : values) value = skewed(random);
    inside += middle_of(values, 0.8)->holds(skewed(random)) ? 1 : 0;
  }
  const double share = static_cast<double>(inside) / kDraws;
  EXPECT_GT(share, 0.80 - 0.01);
  EXPECT_LT(share, 0.80 + 2.0 / 61 + 0.01);
}

/// Student's t with five degrees of freedom is 2.571 at 97.5 % and 1.476 at 90 %.
TEST(MiddleOfFew, IsAPredictionIntervalOrTheFurthestValue) {
  const std::vector<double> six{1, -1, 1, -1, 1, -1};
  const double deviation = std::sqrt(6.0 / 5 * 7 / 6);
  EXPECT_NEAR(middle_of_few(six, 0.95).high, 2.571 * deviation, 0.005);
  EXPECT_NEAR(middle_of_few(six, 0.95).low, -2.571 * deviation, 0.005);
  EXPECT_NEAR(middle_of_few(six, 0.80).high, 1.476 * deviation, 0.002);
  std::vector<double> outlier(30, 0.0);
  outlier.back() = 9;
  EXPECT_EQ(middle_of_few(outlier, 0.95).high, 9);
  EXPECT_EQ(middle_of_few(numbers(39), 0.95), (LogRange{1, 39})) << "from 39 on ranks";
}

/// One card of 100 rows and one of 10: half of the weight each.
TEST(MiddleOfCards, CountsEachCardTheSame) {
  std::vector<double> low(100, -1.0);
  std::vector<double> high(10, 1.0);
  low.front() = -7;
  high.front() = 7;
  EXPECT_EQ(middle_of_cards({{"a", low}, {"b", high}}, 0.90), (LogRange{-1, 7}));
  EXPECT_EQ(middle_of_cards({{"a", low}, {"b", high}}, 0.80), (LogRange{-1, 1}));
}

TEST(RegimeOf, IsByTheShorterSideAndTheTime) {
  EXPECT_EQ(regime_of(4096, 256, 99), GemmRegime::few_short);
  EXPECT_EQ(regime_of(256, 4096, 100), GemmRegime::few_long);
  EXPECT_EQ(regime_of(257, 4096, 99.9), GemmRegime::many_short);
  EXPECT_EQ(regime_of(4096, 4096, 1000), GemmRegime::many_long);
}

/// So many rows of a card, type and regime.
std::vector<Residual> rows_of(const std::string& machine, const std::string& dtype,
                              const std::string& regime, int rows) {
  std::vector<Residual> residuals;
  for (int at = 0; at < rows; ++at) {
    residuals.push_back({machine, dtype, "dense", regime, "g", std::log(2.0)});
  }
  return residuals;
}

std::string names_of(const std::vector<ErrorCell>& cells) {
  std::string names;
  for (const ErrorCell& cell : cells) {
    names += cell.machine + "/" + cell.dtype + "/" + cell.regime + "/" + std::to_string(cell.rows) +
             (cell.band ? " " : "- ");
  }
  return names;
}

/// 39 rows of fp16 and one of bf16 on a card, and as many on another with the same SM.
TEST(ErrorCells, AreOfAllThatHaveRowsEnough) {
  std::vector<Residual> rows = rows_of("a", "fp16", "r", 39);
  for (const Residual& row : rows_of("a", "bf16", "r", 1)) rows.push_back(row);
  for (const Residual& row : rows_of("b", "int8", "r", 39)) rows.push_back(row);
  EXPECT_EQ(names_of(error_cells(rows, {{"a", "D"}, {"b", "D"}})),
            "a/bf16//1- a/fp16//39- b/int8//39- a/fp16/r/39 b/int8/r/39 a/16/r/40 b/8/r/39 "
            "D//r/79 //r/79 ///79 ");
  rows.pop_back();
  EXPECT_EQ(names_of(error_cells(rows, {{"a", "D"}, {"b", "D"}})),
            "a/bf16//1- a/fp16//39- b/int8//38- a/fp16/r/39 a/16/r/40 //r/78 ///78 ")
      << "78 rows do not stand for a card with the same SM";
}

TEST(ErrorCells, MeansAreOfSimulatedOverMeasured) {
  const std::vector<ErrorCell> cells = error_cells(rows_of("a", "fp16", "r", 2), {});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_NEAR(cells[0].bias, -0.5, 1e-12);
  EXPECT_NEAR(cells[0].mean_absolute_error, 0.5, 1e-12);
}

/// Two rows of a framework are named, six have a band.
TEST(ErrorCells, OfStepsAreOfCardsAndFrameworks) {
  std::vector<Residual> rows;
  for (int at = 0; at < 8; ++at) rows.push_back({"a", "", "step", at < 6 ? "f" : "g", "n", 0.1});
  EXPECT_EQ(names_of(error_cells(rows, {})), "a///8 a//f/6 a//g/2- ///8 ");
}

}  // namespace
}  // namespace stcsim
