#include "reports/validation/gemm_rows.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace stcsim {
namespace {

ValidationRow row(const std::string& gpu, std::optional<double> measured,
                  std::optional<double> simulated) {
  ValidationRow row;
  row.gemm.gpu = gpu;
  row.gemm.measured.dense_us = measured;
  row.simulated.dense_us = simulated;
  return row;
}

TEST(ValidationResult, ErrorsAreSignedFractionsOfTheMeasured) {
  EXPECT_DOUBLE_EQ(*relative_error(5.0, 4.0), 0.25);
  EXPECT_DOUBLE_EQ(*relative_error(3.0, 4.0), -0.25);
  EXPECT_EQ(relative_error(std::nullopt, 4.0), std::nullopt);
  EXPECT_EQ(relative_error(3.0, std::nullopt), std::nullopt);
}

/// Errors +25 %, -25 % and +50 %; the third belongs to another GPU, the last was not measured.
TEST(ValidationResult, SummarisesTheErrorsOfAGpuAndOfAll) {
  const std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 8.0, 6.0), row("y", 2.0, 3.0),
                                        row("x", std::nullopt, 1.0)};
  const ErrorSummary x = summarise_errors(rows, {"x"}, GemmFigure::dense);
  EXPECT_EQ(x.rows, 2);
  EXPECT_DOUBLE_EQ(x.mean_absolute, 0.25);
  EXPECT_DOUBLE_EQ(x.bias, 0.0);
  EXPECT_DOUBLE_EQ(*x.correlation, 1.0);
  const ErrorSummary all = summarise_errors(rows, {}, GemmFigure::dense);
  EXPECT_EQ(all.rows, 3);
  EXPECT_DOUBLE_EQ(all.mean_absolute, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(all.bias, 0.5 / 3.0);
  EXPECT_EQ(summarise_errors(rows, {}, GemmFigure::sparse).rows, 0);
}

/// Rows that are only shown count in no score, but in one of their own.
TEST(ValidationResult, RowsThatAreOnlyShownStandApart) {
  std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 1.0, 9.0)};
  rows[0].gemm.use = RowUse::fitting;
  rows[1].gemm.use = RowUse::shown;
  EXPECT_EQ(summarise_errors(rows, {}, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, {"x"}, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, {"", RowUse::shown}, GemmFigure::dense).bias, 8.0);
  std::vector<std::string> names;
  for (const NamedSelection& one : reported_selections(rows)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "all", "all, fitting", "all, testing",
                                             "all, not scored", "all, by a roofline"}));
}

/// They count among all rows, and have a line of their own.
TEST(ValidationResult, RowsOfSelectedColumnsHaveALineOfTheirOwn) {
  std::vector<ValidationRow> rows{row("x", 4.0, 5.0), row("x", 1.0, 2.0)};
  rows[1].gemm.problem.a_pattern = {2, 10, 1, 0, 128};
  const auto selections = reported_selections(rows);
  std::vector<std::string> names;
  for (const NamedSelection& one : selections) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "all", "all, V:2:m", "all, by a roofline"}));
  EXPECT_EQ(summarise_errors(rows, selections[1].selection, GemmFigure::dense).rows, 2);
  EXPECT_EQ(summarise_errors(rows, selections[2].selection, GemmFigure::dense).rows, 1);
  EXPECT_EQ(summarise_errors(rows, selections[2].selection, GemmFigure::dense).bias, 1.0);
}

/// x = 1, 2, 3 against y = 1, 3, 2: covariance 1, variances 2 and 2, so r = 1/2.
TEST(ValidationResult, CorrelatesMeasuredWithSimulated) {
  const std::vector<ValidationRow> rows{row("x", 1.0, 1.0), row("x", 2.0, 3.0), row("x", 3.0, 2.0)};
  EXPECT_DOUBLE_EQ(*summarise_errors(rows, {}, GemmFigure::dense).correlation, 0.5);
  EXPECT_EQ(summarise_errors({rows[0]}, {}, GemmFigure::dense).correlation, std::nullopt);
}

TEST(MeasuredRange, IsWhatTheNoteCallsLeastAndMost) {
  const auto range = measured_range_in("median of 4; least 4.24 (a/0.5.9), most 6.47 (b/0.5.10)");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 4.24);
  EXPECT_EQ(range->second, 6.47);
}

TEST(MeasuredRange, NeedsBothNumbers) {
  EXPECT_FALSE(measured_range_in(""));
  EXPECT_FALSE(measured_range_in("least 4.24"));
  EXPECT_FALSE(measured_range_in("most 4.24"));
  EXPECT_FALSE(measured_range_in("at least one, most of them 5"));
  EXPECT_FALSE(measured_range_in("least 0, most 5"));
  EXPECT_FALSE(measured_range_in("least 1.2.3, most 5"));
}

constexpr const char* kMeasuredHeader =
    "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,note\n";

class MeasuredTable : public ::testing::Test {
 protected:
  std::vector<MeasuredGemm> read(const std::string& rows) {
    std::ofstream(path_) << kMeasuredHeader << rows;
    return read_measured_gemms(path_);
  }
  std::string error_of(const std::string& rows) {
    const std::string message = test::message_of<ConfigError>([&] { (void)read(rows); });
    return message.substr(message.find("t.csv"));
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "t.csv";
};

TEST_F(MeasuredTable, ReadsTimesAsMicroseconds) {
  const auto gemms = read(
      "s,A100,fp16,1,2,3,,4,2,ms,2,2:4,n\n"
      "s,A100,bf16,1,2,3,,4,2,us,,2:4,n\n"
      "s,A100,tf32,1,2,3,,4,,s,,dense,n\n");
  ASSERT_EQ(gemms.size(), 3U);
  EXPECT_EQ(gemms[0].measured, (GemmTimes{4000.0, 2000.0, 2.0}));
  EXPECT_EQ(gemms[1].measured, (GemmTimes{4.0, 2.0, std::nullopt}));
  EXPECT_EQ(gemms[2].measured, (GemmTimes{4e6, std::nullopt, std::nullopt}));
  EXPECT_EQ(gemms[0].problem.m, 1);
  EXPECT_EQ(gemms[0].problem.n, 2);
  EXPECT_EQ(gemms[0].problem.k, 3);
  EXPECT_EQ(gemms[0].problem.a_pattern, (Pattern{2, 4}));
  EXPECT_TRUE(gemms[2].problem.a_pattern.is_dense());
  EXPECT_EQ(gemms[1].problem.dtype, DataType::bf16);
  EXPECT_EQ(gemms[2].where.line, 4);
}

TEST_F(MeasuredTable, KnowsTheCardsClock) {
  const auto clock_of = [&](const std::string& cell) {
    std::string header = kMeasuredHeader;
    header.insert(header.size() - 1, ",clock_mhz");
    std::ofstream(path_) << header << "s,A100,fp16,1,2,3,,4,2,ms,2,2:4,n," << cell << "\n";
    return read_measured_gemms(path_).at(0).clock_mhz;
  };
  EXPECT_EQ(clock_of("1395"), 1395);
  EXPECT_EQ(clock_of(""), std::nullopt);
}

/// 2 * 1000 * 1000 * 500 FLOP at 100 TFLOP/s are 10 us; sparse rates are dense-equivalent.
TEST_F(MeasuredTable, TurnsRatesIntoTimes) {
  const auto gemms = read("s,A100,fp16,1000,1000,500,,100,200,TFLOPS,,2:4,n\n");
  EXPECT_DOUBLE_EQ(*gemms[0].measured.dense_us, 10.0);
  EXPECT_DOUBLE_EQ(*gemms[0].measured.sparse_us, 5.0);
}

TEST_F(MeasuredTable, ValuesMayBeMissing) {
  const auto gemms = read("s,A100,MISSING,1,2,3,,MISSING,,,1.5,2:4,n\n");
  EXPECT_EQ(gemms[0].measured, (GemmTimes{std::nullopt, std::nullopt, 1.5}));
  EXPECT_EQ(gemms[0].problem.dtype, DataType::fp16);
  EXPECT_EQ(gemms[0].unusable, "");
}

TEST_F(MeasuredTable, ReadsTheBatchOutOfTheLayout) {
  EXPECT_EQ(read("s,A100,fp16,1,2,3,bmm batch=128,1,,us,,dense,n\n")[0].problem.batch_count, 128);
  EXPECT_EQ(read("s,A100,fp16,1,2,3,row,1,,us,,dense,n\n")[0].problem.batch_count, 1);
}

TEST_F(MeasuredTable, SaysWhyARowCannotBeSimulated) {
  EXPECT_EQ(read("s,A100,fp16,1,2,3,,1,1,us,,1:10 (V=128),n\n")[0].unusable,
            "pattern '1:10 (V=128)' is not n:m or V:2:m");
  EXPECT_EQ(read("s,A100,fp64,1,2,3,,1,1,us,,2:4,n\n")[0].unusable,
            "data type 'fp64' is not simulated");
}

/// In blocks of 128 rows, 4 of every 10 columns: 2:4 among themselves.
TEST_F(MeasuredTable, ReadsBlocksOfColumns) {
  const auto gemms = read(
      "s,A100,fp16,1,2,30,,1,1,us,,2:10 (V=128),n\n"
      "s,A100,fp16,1,2,31,,1,1,us,,64:2:10,n\n"
      "s,A100,fp16,1,2,3,,1,1,us,,2:4,n\n");
  EXPECT_EQ(gemms[0].problem.a_pattern, (Pattern{2, 10, 1, 0, 128}));
  EXPECT_EQ(gemms[0].pattern, "2:10 (V=128)");
  EXPECT_EQ(gemms[0].problem.k, 30);
  EXPECT_EQ(gemms[1].problem.a_pattern, (Pattern{2, 10, 1, 0, 64}));
  EXPECT_EQ(gemms[2].problem.a_pattern, (Pattern{2, 4}));
  for (const char* wrong : {"128:1:10", "128:2:3", "0:2:8", "128:2:x", "2:10 (V=)", "2:10 (V=8"}) {
    EXPECT_EQ(read("s,A100,fp16,1,2,3,,1,1,us,," + std::string(wrong) + ",n\n")[0].unusable,
              "pattern '" + std::string(wrong) + "' is not n:m or V:2:m");
  }
}

/// In the row's unit; of rates the least time is the most.
TEST_F(MeasuredTable, ReadsTheRangeOfSeveralMeasurements) {
  const auto gemms = read(
      "s,A100,fp16,1,2,3,,5,,ms,,dense,\"least 4, most 6\"\n"
      "s,A100,fp16,1000,1000,500,,100,,TFLOPS,,dense,\"least 50, most 200\"\n"
      "s,A100,fp16,1,2,3,,,5,us,,2:4,\"least 4, most 6\"\n");
  EXPECT_EQ(gemms[0].dense_range_us, std::pair(4000.0, 6000.0));
  EXPECT_EQ(gemms[1].dense_range_us, std::pair(5.0, 20.0));
  EXPECT_EQ(gemms[2].dense_range_us, std::nullopt);
}

/// Rows that are right are read; if none is, the first fault is thrown.
TEST_F(MeasuredTable, WrongRowsAreLeftOutWhereTheyAreAskedFor) {
  std::ofstream(path_) << kMeasuredHeader << "s,A100,fp16,0,2,3,,1,,us,,dense,n\n"
                       << "s,A100,fp16,1,2,3,,1,,us,,dense,n\n"
                       << "s,A100,fp16\n"
                       << "s,A100,fp16,1,2,3,,1,,h,,dense,n\n";
  std::vector<ConfigError> bad_rows;
  const auto gemms = read_measured_gemms(path_, &bad_rows);
  ASSERT_EQ(gemms.size(), 1U);
  EXPECT_EQ(gemms[0].where.line, 3);
  ASSERT_EQ(bad_rows.size(), 3U);
  const auto fault = [&](std::size_t at) {
    const std::string text = bad_rows[at].what();
    return text.substr(text.find("t.csv"));
  };
  EXPECT_EQ(fault(0), "t.csv:4:1: error: the row has 3 fields, must have 13 like the header");
  EXPECT_EQ(fault(1), "t.csv:2:13: error: M is '0', must be a whole number from 1 to 2147483647");
  EXPECT_EQ(fault(2), "t.csv:5:23: error: unit is 'h', must be s, ms, us or TFLOPS");
  EXPECT_THROW((void)read_measured_gemms(path_), ConfigError);
  std::ofstream(path_) << kMeasuredHeader << "s,A100,fp16,0,2,3,,1,,us,,dense,n\n";
  EXPECT_THROW((void)read_measured_gemms(path_, &bad_rows), ConfigError);
}

/// The accumulator is stated or not; another one than GEMMs have is not simulated.
TEST_F(MeasuredTable, ReadsTheSpellingsOfTypes) {
  const auto gemms = read(
      "s,A100,fp16/fp32,1,2,3,,1,1,us,,2:4,n\n"
      "s,A100,int8/int32 (dp4a),1,2,3,,1,1,us,,2:4,n\n"
      "s,A100,fp8,1,2,3,,1,1,us,,2:4,n\n"
      "s,A100,fp16/fp16,1,2,3,,1,1,us,,2:4,n\n"
      "s,A100,fp16/x,1,2,3,,1,1,us,,2:4,n\n");
  EXPECT_EQ(gemms[0].problem.dtype, DataType::fp16);
  EXPECT_EQ(gemms[0].unusable, "");
  EXPECT_EQ(gemms[1].problem.dtype, DataType::int8);
  EXPECT_EQ(gemms[1].unusable, "");
  EXPECT_EQ(gemms[2].problem.dtype, DataType::fp8_e4m3);
  EXPECT_EQ(gemms[3].unusable,
            "data type 'fp16/fp16' is not simulated: GEMMs of fp16 accumulate in fp32");
  EXPECT_EQ(gemms[4].unusable,
            "data type 'fp16/x' is not simulated: GEMMs of fp16 accumulate in fp32");
}

TEST_F(MeasuredTable, ReadsTheLayout) {
  const auto gemms = read(
      "s,A100,fp16,1,2,3,row.row,1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,row,1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,TN (x row-major),1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,row.row batch=2,1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,batch=3 row,1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,A row (sparse MxK),1,1,us,,2:4,n\n"
      "s,A100,fp16,1,2,3,bmm batch=4,1,1,us,,2:4,n\n");
  EXPECT_EQ(gemms[0].problem.b_layout, OperandLayout::mn_major);
  EXPECT_EQ(gemms[1].problem.b_layout, OperandLayout::mn_major);
  EXPECT_EQ(gemms[2].problem.b_layout, OperandLayout::k_major);
  EXPECT_EQ(gemms[3].problem.b_layout, OperandLayout::mn_major);
  EXPECT_EQ(gemms[3].problem.batch_count, 2);
  EXPECT_EQ(gemms[4].problem.b_layout, OperandLayout::mn_major);
  EXPECT_EQ(gemms[4].problem.batch_count, 3);
  EXPECT_EQ(gemms[5].problem.b_layout, OperandLayout::k_major);
  EXPECT_EQ(gemms[6].problem.b_layout, OperandLayout::k_major);
  EXPECT_EQ(gemms[6].problem.batch_count, 4);
}

/// Without the column, rows test.
TEST_F(MeasuredTable, ReadsWhatARowIsFor) {
  std::ofstream(path_) << "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,"
                          "pattern,note,use\n"
                          "s,A100,fp16,1,2,3,,1,,us,,dense,n,fitting\n"
                          "s,A100,fp16,1,2,3,,1,,us,,dense,n,testing\n"
                          "s,A100,fp16,1,2,3,,1,,us,,dense,n,shown\n"
                          "s,A100,fp16,1,2,3,,1,,us,,dense,n,\n";
  const auto gemms = read_measured_gemms(path_);
  EXPECT_EQ(gemms[0].use, RowUse::fitting);
  EXPECT_EQ(gemms[1].use, RowUse::testing);
  EXPECT_EQ(gemms[2].use, RowUse::shown);
  EXPECT_EQ(gemms[3].use, RowUse::testing);
  EXPECT_EQ(read("s,A100,fp16,1,2,3,,1,,us,,dense,n\n")[0].use, RowUse::testing);
}

/// The column is optional; 50 us is the limit.
TEST_F(MeasuredTable, ShortTimesOfTheHostCannotBeCompared) {
  std::ofstream(path_) << "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,"
                          "pattern,note,timing\n"
                          "s,A100,fp16,1,2,3,,50,50,us,,2:4,n,host\n"
                          "s,A100,fp16,1,2,3,,50,49.9,us,,2:4,n,host\n"
                          "s,A100,fp16,1,2,3,,49.9,,us,,2:4,n,host\n"
                          "s,A100,fp16,1,2,3,,1,1,us,,2:4,n,device\n"
                          "s,A100,fp16,1,2,3,,1,1,us,,2:4,n,\n";
  const auto gemms = read_measured_gemms(path_);
  const std::string reason = "timed on the host and below 50 us: mostly launch overhead";
  EXPECT_EQ(gemms[0].unusable, "");
  EXPECT_EQ(gemms[1].unusable, reason);
  EXPECT_EQ(gemms[2].unusable, reason);
  EXPECT_EQ(gemms[3].unusable, "");
  EXPECT_EQ(gemms[4].unusable, "");
}

TEST_F(MeasuredTable, RefusesWhatIsWrongAtItsPlace) {
  EXPECT_EQ(error_of("s,A100,fp16,0,2,3,,1,,us,,2:4,n\n"),
            "t.csv:2:13: error: M is '0', must be a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of("s,A100,fp16,1,2,3,,fast,,us,,2:4,n\n"),
            "t.csv:2:20: error: dense_value is 'fast', must be a number above 0, MISSING or empty");
  EXPECT_EQ(error_of("s,A100,fp16,1,2,3,,1,,h,,2:4,n\n"),
            "t.csv:2:23: error: unit is 'h', must be s, ms, us or TFLOPS");
  EXPECT_EQ(error_of("s,A100,fp16,1,2,3,batch=x,1,,us,,2:4,n\n"),
            "t.csv:2:19: error: batch is 'x', must be a whole number from 1 to 2147483647");
}

}  // namespace
}  // namespace stcsim
