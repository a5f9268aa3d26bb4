#include "sim/study/validated_errors.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

ErrorBand band(double low, double high) {
  return {{low, high}, {low / 2, high / 2}};
}

/// A card's cell with a band.
ErrorCell cell_with(std::string machine, std::string dtype, std::string regime, double high,
                    std::string quantity = "dense") {
  return {std::move(machine), std::move(dtype), std::move(quantity), std::move(regime), 40, 0.1, 0,
          band(-0.1, high)};
}

const std::string kShort{kGemmRegimes[2]};
const std::string kLong{kGemmRegimes[3]};

QuantityError dense_of(const std::vector<ErrorCell>& cells, const std::string& machine,
                       DataType dtype, GemmRegime regime) {
  const ValidatedErrors errors({cells, {{"a", "D"}, {"b", "D"}, {"e", "E"}}});
  return errors.of(machine, dtype, "").dense.in(regime);
}

/// Own type, own bits, the same SM, all cards, any regime; the back-test where no SM is known.
TEST(BandsOfGemms, AreOfTheFirstThatHasRowsInTheRegime) {
  const std::vector<ErrorCell> cells{
      cell_with("a", "fp16", kLong, 0.1), cell_with("a", "16", kLong, 0.2),
      cell_with("D", "", kLong, 0.3),     cell_with("", "", kLong, 0.4),
      cell_with("", "", "", 0.5),         cell_with("backtest", "", kLong, 0.6),
      cell_with("backtest", "", "", 0.7)};
  const auto high = [&](const char* machine, DataType dtype, GemmRegime regime) {
    return dense_of(cells, machine, dtype, regime).band.in_95.high;
  };
  EXPECT_EQ(high("a", DataType::fp16, GemmRegime::many_long), 0.1);
  EXPECT_EQ(high("a", DataType::bf16, GemmRegime::many_long), 0.2);
  EXPECT_EQ(high("a", DataType::int8, GemmRegime::many_long), 0.3);
  EXPECT_EQ(high("b", DataType::fp16, GemmRegime::many_long), 0.3) << "the same SM";
  EXPECT_EQ(high("e", DataType::fp16, GemmRegime::many_long), 0.4);
  EXPECT_EQ(high("c", DataType::fp16, GemmRegime::many_long), 0.6);
  EXPECT_EQ(high("c", DataType::fp16, GemmRegime::few_short), 0.7);
  EXPECT_EQ(high("a", DataType::fp16, GemmRegime::few_short), 0.5);
  EXPECT_FALSE(dense_of(cells, "a", DataType::fp16, GemmRegime::many_long).is_assumed);
  EXPECT_TRUE(dense_of(cells, "a", DataType::bf16, GemmRegime::many_long).is_assumed);
}

TEST(BandsOfGemms, HoldWhatWasSimulated) {
  ErrorCell cell = cell_with("a", "fp16", kLong, 0.3);
  cell.band = ErrorBand{{0.1, 0.3}, {0.15, 0.2}};
  const QuantityError error = dense_of({cell}, "a", DataType::fp16, GemmRegime::many_long);
  EXPECT_EQ(error.band, (ErrorBand{{0, 0.3}, {0, 0.2}}));
}

/// The mean errors decide what runs sparse: of the card's type in any regime, else of one with as
/// many bits, else the back-test's.
TEST(MeansOfGemms, AreOfTheMachineAndTypeOrOfTheBacktest) {
  const std::vector<ErrorCell> cells{{"a", "fp16", "dense", "", 6, 0.05, 0},
                                     {"a", "int8", "dense", "", 5, 0.5, 0},
                                     {"b", "bf16", "dense", "", 6, 0.07, 0},
                                     {"b", "fp16", "dense", "", 5, 0.9, 0},
                                     {"backtest", "", "dense", "", 6, 0.2, 0}};
  const auto mean = [&](const char* machine, DataType dtype) {
    return dense_of(cells, machine, dtype, GemmRegime::few_long).mean;
  };
  EXPECT_EQ(mean("a", DataType::fp16), 0.05);
  EXPECT_EQ(mean("a", DataType::bf16), 0.05);
  EXPECT_EQ(mean("a", DataType::int8), 0.2) << "five rows are too few";
  EXPECT_EQ(mean("b", DataType::fp16), 0.07);
  EXPECT_EQ(mean("c", DataType::fp16), 0.2);
}

QuantityError step_of(const std::string& machine, const std::string& framework) {
  const std::vector<ErrorCell> cells{cell_with("a", "", "eager", 0.1, "step"),
                                     {"a", "", "step", "rare", 2, 0.3, 0},
                                     cell_with("a", "", "", 0.2, "step"),
                                     cell_with("", "", "", 0.3, "step"),
                                     {"backtest", "", "dense", "", 6, 0.4, 0}};
  return ValidatedErrors({cells, {}}).of(machine, DataType::fp16, framework).step;
}

/// Of a framework without rows there, what other cards' steps tell and what the back-test is off
/// count as independent.
TEST(BandsOfSteps, AreOfTheCardAndFrameworkElseOfTheCardElseOfAllCards) {
  EXPECT_EQ(step_of("a", "eager").band.in_95, (LogRange{-0.1, 0.1}));
  EXPECT_FALSE(step_of("a", "eager").is_assumed);
  EXPECT_EQ(step_of("a", "rare").band.in_95, (LogRange{-0.1, 0.2}));
  for (const auto& [machine, framework] : {std::pair("a", "other"), std::pair("b", "eager")}) {
    const QuantityError error = step_of(machine, framework);
    EXPECT_NEAR(error.band.in_95.low, -std::hypot(0.1, 0.4), 1e-12) << machine;
    EXPECT_NEAR(error.band.in_95.high, 0.5, 1e-12) << machine;
    EXPECT_TRUE(error.is_assumed) << machine;
  }
}

TEST(OtherErrors, AreTheLargestWhereTheCardHasNone) {
  std::vector<ErrorCell> cells{cell_with("a", "", "", 0.3, "stream"),
                               {"a", "fp16", "selection", "", 6, 0.02, -0.02},
                               {"b", "fp16", "selection", "", 5, 0.5, 0.5}};
  const ValidatedErrors errors({cells, {}});
  EXPECT_EQ(errors.of("a", DataType::fp16, "").stream, (QuantityError{0.1, band(-0.1, 0.3)}));
  EXPECT_EQ(errors.of("c", DataType::fp16, "").stream, (QuantityError{0.1, band(-0.1, 0.3), true}));
  EXPECT_EQ(errors.of("c", DataType::fp16, "").selection, -0.02) << "five rows are too few";
}

class ErrorFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }
  void write_all(const std::string& row) {
    const std::string header =
        "machine,dtype,quantity,regime,rows,mean_absolute_error,bias,low_95,low_80,high_80,"
        "high_95\n";
    write("errors.csv", header + row);
    write("dies.csv", "machine,die\na,D\n");
    write("backtest_errors.csv", header + "backtest,,dense,,6,0.2,0.1,-0.4,-0.3,0.3,0.5\n");
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ErrorFiles, AreUnknownUnlessAllAreThere) {
  write_all("");
  EXPECT_TRUE(ValidatedErrors::load(directory_.path()));
  std::filesystem::remove(directory_ / "backtest_errors.csv");
  EXPECT_FALSE(ValidatedErrors::load(directory_.path()));
}

TEST_F(ErrorFiles, AreRead) {
  write_all("a,fp16,dense,many columns long,40,0.1,-0.05,-0.2,-0.1,0.3,0.4\na,,step,x,2,1,0,,,,\n");
  const auto tables = read_error_tables(directory_.path());
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->cells.size(), 3U);
  EXPECT_EQ(tables->cells[2].machine, "backtest");
  EXPECT_EQ(tables->cells[2].band, (ErrorBand{{-0.4, 0.5}, {-0.3, 0.3}}));
  EXPECT_EQ(tables->cells[0].band, (ErrorBand{{-0.2, 0.4}, {-0.1, 0.3}}));
  EXPECT_EQ(tables->cells[0].bias, -0.05);
  EXPECT_FALSE(tables->cells[1].band);
  EXPECT_EQ(tables->dies.at("a"), "D");
}

TEST_F(ErrorFiles, MistakesAreNamedWithTheirPlace) {
  const auto message = [&](const std::string& row) -> std::string {
    write_all(row);
    try {
      (void)read_error_tables(directory_.path());
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(
      message("a,fp16,dense,,10,-1,0,,,,\n").find("errors.csv:2:18: error: '-1' is no number"),
      std::string::npos);
  EXPECT_NE(message("a,fp16,dense,,10,1,0,x,0,0,0\n").find("errors.csv:2:22: error: 'x' is no"),
            std::string::npos);
}

TEST(Likely, IsSignedAndOfBothBands) {
  const QuantityError error{0.1, {{-std::log(2.0), std::log(4.0)}, {0, std::log(3.0)}}, true};
  const LikelyInterval interval = likely(10, error);
  EXPECT_NEAR(interval.low, 5, 1e-12);
  EXPECT_NEAR(interval.high, 40, 1e-12);
  EXPECT_NEAR(interval.low_80, 10, 1e-12);
  EXPECT_NEAR(interval.high_80, 30, 1e-12);
  EXPECT_TRUE(interval.is_assumed);
}

QuantityError up_to(double factor) {
  return {0, {{-std::log(factor), std::log(factor)}, {}}};
}

constexpr Pattern kTwoOfFour{2, 4};

SimulatedGemm simulated(Pattern pattern, Pattern hardware, double time_us,
                        double dense_time_us = 160) {
  SimulatedGemm gemm;
  gemm.problem.m = gemm.problem.n = gemm.dense.m = gemm.dense.n = 512;
  gemm.problem.a_pattern = pattern;
  gemm.hardware_pattern = hardware;
  gemm.time_us = time_us;
  gemm.dense_time_us = dense_time_us;
  return gemm;
}

/// Sparse ones by the errors of sparse times and of gains in the regime of the sparse time; one
/// that ran dense gains 1, surely.
TEST(GemmIntervals, GoByWhatRanAndHowLong) {
  TimeErrors errors;
  errors.dense.at(static_cast<std::size_t>(GemmRegime::many_long)) = up_to(2);
  errors.sparse.at(static_cast<std::size_t>(GemmRegime::many_short)) = up_to(4);
  errors.gain.at(static_cast<std::size_t>(GemmRegime::many_short)) = up_to(5);
  const GemmIntervals sparse = gemm_intervals(errors, simulated(kTwoOfFour, kTwoOfFour, 80));
  EXPECT_NEAR(sparse.time.low, 20, 1e-12);
  EXPECT_NEAR(sparse.dense_time.high, 320, 1e-12);
  EXPECT_NEAR(sparse.speedup.high, 10, 1e-12);
  const GemmIntervals dense = gemm_intervals(errors, simulated(kTwoOfFour, kDense, 160));
  EXPECT_EQ(dense.time, dense.dense_time);
  EXPECT_EQ(dense.speedup, (LikelyInterval{1, 1, false, 1, 1}));
}

/// Errors are of GEMMs from 20 us on.
TEST(GemmIntervals, OfShortGemmsAreAssumed) {
  TimeErrors errors;
  errors.dense.fill(up_to(2));
  const SimulatedGemm shorter = simulated(kDense, kDense, 19.9, 19.9);
  EXPECT_TRUE(gemm_intervals(errors, shorter).time.is_assumed);
  EXPECT_FALSE(gemm_intervals(errors, simulated(kDense, kDense, 20, 20)).time.is_assumed);
}

/// Where the errors are another card's; a card of its own may have slow dense kernels. 6:8 on 2:4
/// gains 4/3 at most, 1:4 on it 2, and a narrower type than dense's has no such end.
TEST(GemmIntervals, OfAssumedGainsEndWithThePattern) {
  TimeErrors errors;
  errors.gain.fill(up_to(4));
  const auto high = [&](const SimulatedGemm& gemm) {
    return gemm_intervals(errors, gemm).speedup.high;
  };
  const SimulatedGemm gemm = simulated(kTwoOfFour, kTwoOfFour, 100);
  EXPECT_NEAR(high(gemm), 6.4, 1e-12);
  for (QuantityError& error : errors.gain) error.is_assumed = true;
  EXPECT_EQ(high(gemm), 2);
  EXPECT_EQ(high(simulated({1, 4}, kTwoOfFour, 100)), 2);
  EXPECT_EQ(high(simulated({6, 8}, kTwoOfFour, 150)), 8.0 / 6);
  EXPECT_NEAR(high(simulated(kTwoOfFour, kTwoOfFour, 64)), 10, 1e-12) << "its dense one is slow";
  EXPECT_NEAR(gemm_intervals(errors, gemm).speedup.low, 0.4, 1e-12);
  SimulatedGemm narrower = gemm;
  narrower.dense.dtype = DataType::tf32;
  EXPECT_NEAR(high(narrower), 6.4, 1e-12);
}

TEST(ShippedErrors, CoverEveryShippedMachine) {
  const auto errors = ValidatedErrors::load(STCSIM_SOURCE_DIR "/configs/validation");
  ASSERT_TRUE(errors);
  for (const char* const measured : {"a100_pcie", "rtx3090", "rtx4090"}) {
    EXPECT_FALSE(
        errors->of(measured, DataType::fp16, "").dense.in(GemmRegime::many_long).is_assumed)
        << measured;
  }
  const TimeErrors blind = errors->of("a100_nm", DataType::fp16, "");
  EXPECT_GT(blind.stream.band.in_95.high, 0);
  EXPECT_GT(blind.step.band.in_95.high, 0);
}

/// Neither the card nor one with its SM was measured.
TEST(ShippedErrors, AMachineThatNobodyMeasuredHasTheBandsOfTheBacktest) {
  const auto errors = ValidatedErrors::load(STCSIM_SOURCE_DIR "/configs/validation");
  ASSERT_TRUE(errors);
  const auto ends = [&](const char* machine, GemmRegime regime) {
    return errors->of(machine, DataType::fp16, "").gain.in(regime).band.in_95;
  };
  for (const char* const machine : {"rubin", "rtx5090", "a100_nm", "my_own"}) {
    EXPECT_EQ(ends(machine, GemmRegime::many_long), (LogRange{-0.4711, 0.3774})) << machine;
    EXPECT_EQ(ends(machine, GemmRegime::few_long), (LogRange{-0.4636, 0.5968})) << machine;
    EXPECT_EQ(errors->of(machine, DataType::int8, "").dense.mean(), 0.1403) << machine;
  }
}

/// Hopper's 2:4 rows from 20 us on are those of the PCIe card.
TEST(ShippedErrors, TheH100SxmUsesThe24RowsOfTheSameSm) {
  const auto errors = ValidatedErrors::load(STCSIM_SOURCE_DIR "/configs/validation");
  const auto tables = read_error_tables(STCSIM_SOURCE_DIR "/configs/validation");
  ASSERT_TRUE(errors && tables);
  for (const GemmRegime regime : {GemmRegime::many_short, GemmRegime::many_long}) {
    std::vector<ErrorBand> of_sm;
    for (const ErrorCell& cell : tables->cells) {
      const bool is_it = cell.machine == "GH100" && cell.quantity == "sparse" &&
                         cell.regime == kGemmRegimes.at(static_cast<std::size_t>(regime));
      if (is_it) of_sm.push_back(*cell.band);
    }
    ASSERT_EQ(of_sm.size(), 1U);
    const QuantityError used = errors->of("h100_sxm", DataType::bf16, "").sparse.in(regime);
    EXPECT_EQ(used.band.in_95.high, of_sm.front().in_95.high);
    EXPECT_NE(used.band, errors->of("a100_nm", DataType::bf16, "").sparse.in(regime).band);
  }
}

}  // namespace
}  // namespace stcsim
