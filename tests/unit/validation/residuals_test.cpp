#include "reports/validation/residuals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/validation/sample_rows.hpp"

namespace stcsim {
namespace {

using test::dense_row;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Residuals, AreOfScoredRowsFromTwentyMicrosecondsOn) {
  ValidationResults results;
  results.gemms = {dense_row(100, 110), dense_row(100, 90), dense_row(10, 10), dense_row(100, 500)};
  results.gemms[1].gemm.problem.m = results.gemms[1].gemm.problem.n = 512;
  results.gemms[3].gemm.use = RowUse::shown;
  const std::vector<Residual> residuals = residuals_of(results);
  ASSERT_EQ(residuals.size(), 2U);
  EXPECT_EQ(residuals[0].machine + residuals[0].dtype + residuals[0].quantity, "xfp16dense");
  EXPECT_EQ(residuals[0].log_ratio, -0.0953) << "ln(100 / 110)";
  EXPECT_EQ(residuals[0].regime, "few columns long") << "by the simulated time";
  EXPECT_EQ(residuals[1].regime, "many columns short");
}

TEST(Residuals, OfStepsAndOtherKernelsHaveNoType) {
  ValidationResults results;
  NetworkRow step;
  step.machine = "x";
  step.measured.framework = "f";
  step.measured.model = "n";
  step.measured.measured.dense_us = 100;
  step.simulated.dense_us = 110;
  results.networks = {step};
  StreamRow stream;
  stream.machine = "y";
  stream.measured.op = "relu";
  stream.measured.time_us = 100;
  stream.time_us = 90;
  results.streams = {stream};
  EXPECT_EQ(residuals_csv(residuals_of(results)),
            "machine,dtype,quantity,regime,group,ln_measured_over_simulated\r\n"
            "x,,step,f,n,-0.0953\r\ny,,stream,,relu,0.1054\r\n");
}

TEST(ErrorsFile, HasACellOfEachCardAndWhatChoosingClaims) {
  ValidationResults results;
  results.gemms = {dense_row(100, 110)};
  EXPECT_THAT(error_cells_csv(results), StartsWith("machine,dtype,quantity,regime,rows,"));
  EXPECT_THAT(error_cells_csv(results), HasSubstr("\nx,fp16,dense,,1,0.1,0.1,,,,\r\n"));
}

TEST(GroupOf, IsTheNetworkElseTheShapeOfA) {
  MeasuredGemm gemm;
  gemm.problem.m = 64;
  gemm.problem.k = 32;
  EXPECT_EQ(group_of(gemm), "64x32");
  gemm.note = "batch 1";
  EXPECT_EQ(group_of(gemm), "64x32");
  gemm.note = "Llama3.2-1B-INT8";
  EXPECT_EQ(group_of(gemm), "Llama3.2-1B-INT8");
}

}  // namespace
}  // namespace stcsim
