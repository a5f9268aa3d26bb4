#include "reports/gemm/gemm_report.hpp"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/reports/sample_gemm.hpp"

namespace stcsim {
namespace {

using test::report_with_everything;
using test::sample_report;

TEST(GemmReport, RatesAreDenseEquivalent) {
  const GemmRates rates = main_rates(sample_report());
  EXPECT_EQ(rates.time_us, 1.0);
  EXPECT_DOUBLE_EQ(rates.achieved_tflops, 200.0);
  EXPECT_EQ(rates.peak_tflops, 800.0);
  EXPECT_DOUBLE_EQ(rates.percent_of_peak, 25.0);
  EXPECT_EQ(rates.utilization, 0.25);
}

TEST(GemmReport, DenseBaselineIsMeasuredAgainstTheDensePeak) {
  EXPECT_FALSE(dense_rates(sample_report()));
  EXPECT_FALSE(gemm_speedup(sample_report()));
  const GemmReport report = report_with_everything();
  EXPECT_EQ(gemm_speedup(report), 1.5);
  EXPECT_EQ(dense_rates(report)->time_us, 1.5);
  EXPECT_DOUBLE_EQ(dense_rates(report)->percent_of_peak, 100.0 / 3.0);
}

TEST(GemmReport, UtilizationNeverExceedsOneAndNeedsAPeak) {
  GemmReport report = sample_report();
  report.launch.multiplier_macs = 201;
  EXPECT_EQ(main_rates(report).utilization, 1.0);
  report.launch.peak_macs = 0;
  EXPECT_EQ(main_rates(report).utilization, 0.0);
}

TEST(GemmReport, RatesNeedCyclesClockAndPeak) {
  const auto rates = [](std::int64_t cycles, double clock, double peak) {
    GemmReport report = sample_report();
    report.launch.cycles = cycles;
    report.launch.clock_mhz = clock;
    return gemm_rates(report.problem, report.launch, peak);
  };
  EXPECT_THROW((void)rates(0, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)rates(1, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)rates(1, 1, 0), std::invalid_argument);
}

TEST(GemmReport, Text) {
  EXPECT_EQ(gemm_text(sample_report()), R"(GEMM 1000×1000×100 fp16, A 2:4, on a100 (1024 MHz)
2:4 takes 1.00 us, 25.0 % of peak
  likely 0.500 us..2.00 us; assumed
software: vendor
timed by: loop
kernel: sparse_128x256x64_s3 (mma.sp.m16n8k32, 8 warps, split-k 1, 32 CTAs, 1 per SM, 0.296 waves)
search: it was chosen by the library's rule
bound by: dram

                   ran 2:4
----------------  --------
cycles               1,024
clock             1024 MHz
time               1.00 us
achieved TFLOP/s       200
peak TFLOP/s           800
of peak             25.0 %
utilisation         25.0 %
speedup                  -
TFLOP/s are dense-equivalent: 2 FLOP per MAC of the dense GEMM, skipped zeros included.

unit         instances  where its cycles went
-----------  ---------  -------------------------------------------------
tensor_core        432  busy 25.0 %, waiting_operands 50.0 %, idle 25.0 %
dram                 1  busy 0.0 %

traffic           read  of it hit  written
-------------  -------  ---------  -------
shared memory  1.00 kB             2.00 kB
L2             3.00 kB    1.50 kB  4.00 kB
DRAM           5.00 kB             6.00 kB
metadata          70 B
)");
}

TEST(GemmReport, TextWithBaselineAndFunctionalCheck) {
  EXPECT_EQ(gemm_text(report_with_everything()),
            R"(GEMM 1000×1000×100 fp16, A 2:4, on a100 (1024 MHz)
note: short k, long epilogue
2:4 takes 1.00 us, 1.50x as fast as dense (1.50 us)
  likely 0.500 us..2.00 us, dense 1.25 us..1.75 us, gain 1.00x..2.25x; assumed
software: vendor
timed by: loop
kernel: sparse_128x256x64_s3 (mma.sp.m16n8k32, 8 warps, split-k 1, 32 CTAs, 1 per SM, 0.296 waves)
search: 1,040 kernels could run it: 3 simulated, 1,030 cannot be faster, 7 left out: none of these saves more than 12.5 % of the time; by estimate the best takes 1.50 times as long
dense kernel: dense_128x256x32_s3 (mma.sp.m16n8k32, 8 warps, split-k 1, 32 CTAs, 1 per SM, 0.296 waves)
dense search: it was chosen by the library's rule
bound by: dram

                   ran 2:4  dense baseline
----------------  --------  --------------
cycles               1,024           1,536
clock             1024 MHz        1024 MHz
time               1.00 us         1.50 us
achieved TFLOP/s       200             133
peak TFLOP/s           800             400
of peak             25.0 %          33.3 %
utilisation         25.0 %          25.0 %
speedup              1.50x           1.00x
TFLOP/s are dense-equivalent: 2 FLOP per MAC of the dense GEMM, skipped zeros included.

unit         instances  where its cycles went
-----------  ---------  -------------------------------------------------
tensor_core        432  busy 25.0 %, waiting_operands 50.0 %, idle 25.0 %
dram                 1  busy 0.0 %

traffic           read  of it hit  written
-------------  -------  ---------  -------
shared memory  1.00 kB             2.00 kB
L2             3.00 kB    1.50 kB  4.00 kB
DRAM           5.00 kB             6.00 kB
metadata          70 B

functional check: 1,000,000 elements compared with the reference, 2 differ; C[3][4] is 1, expected 2
)");
}

TEST(GemmReport, TextFitsItsWidth) {
  GemmReport report = report_with_everything();
  report.dense->cycles = 512;
  const std::string text = gemm_text(report, 60);
  EXPECT_THAT(text, ::testing::HasSubstr("\n2:4 takes 1.00 us, 0.500x as fast as dense (0.500 "
                                         "us):\n  SLOWER; --where faster runs it dense\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"(
tensor_core        432  busy 25.0 %, waiting_operands 50.0
                        %, idle 25.0 %
dram                 1  busy 0.0 %
)"));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(display_width(text.substr(at, end - at)), 60U) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(GemmReport, TextListsWhateverElseWasCounted) {
  GemmReport report = sample_report();
  report.launch.counters.push_back({"cache_refills", "refill", 1234});
  EXPECT_THAT(gemm_text(report), ::testing::HasSubstr(R"(metadata          70 B

counter        value  unit
-------------  -----  ------
cache_refills  1,234  refill
)"));
}

TEST(GemmReport, FunctionalCheckThatPassed) {
  GemmReport report = sample_report();
  report.functional = FunctionalOutcome{64, 0, ""};
  report.likely = {};
  const std::string text = gemm_text(report);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("likely"))) << "not known";
  const std::string line =
      "\nfunctional check: 64 elements compared with the reference, all equal\n";
  ASSERT_GE(text.size(), line.size());
  EXPECT_EQ(text.substr(text.size() - line.size()), line);
}

}  // namespace
}  // namespace stcsim
