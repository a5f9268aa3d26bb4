#include "reports/gemm/gemm_report.hpp"

#include <regex>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/version.hpp"
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

/// What stands below the figures of a run.
const std::string kUnitsAndTraffic =
    R"(TFLOP/s are dense-equivalent: 2 FLOP per MAC of the dense GEMM, skipped zeros included.

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
)";

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
of dense peak       50.0 %
of sparse peak      25.0 %
utilisation         25.0 %
speedup                  -
)" + kUnitsAndTraffic);
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
of dense peak       50.0 %          33.3 %
of sparse peak      25.0 %               -
utilisation         25.0 %          25.0 %
speedup              1.50x           1.00x
)" + kUnitsAndTraffic +
                R"(
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

const std::string kTrafficText =
    R"({"shared_memory_read_bytes":1000,"shared_memory_write_bytes":2000,"l2_read_bytes":3000,"l2_hit_bytes":1500,"l2_write_bytes":4000,"dram_read_bytes":5000,"dram_write_bytes":6000,"metadata_bytes":70})";
const std::string kBucketsText =
    R"({"tensor_core":{"instances":432,"busy":1,"waiting_operands":2,"idle":1},"dram":{"instances":1,"busy":0}})";

std::string kernel_text_of(const std::string& name) {
  return R"({"name":")" + name +
         R"(","tile_m":128,"tile_n":256,"tile_k":64,"stages":3,"warps":8,"instruction":"mma.sp.m16n8k32","split_k":1,"ctas":32,"ctas_per_sm":1,"waves":0.296})";
}

std::string problem_lines(const std::string& reason) {
  return R"(  "machine": "a100",
  "clock_mhz": 1024.0,
  "m": 1000,
  "n": 1000,
  "k": 100,
  "batch_count": 1,
  "dtype": "fp16",
  "pattern": "2:4",
  "hardware_pattern": "2:4",
  "ran_sparse": true,
  "reason": )" +
         reason + R"(,
  "stack": "vendor",
  "method": "loop",
  "framework": "",
)";
}

std::string rate_lines(const std::string& dense_cycles, const std::string& speedup) {
  return R"(  "cycles": 1024,
  "sustained_clock_mhz": 1024.0,
  "board_watts": 0.0,
  "time_us": 1.0,
  "achieved_tflops": 200.0,
  "peak_tflops": 800.0,
  "percent_of_peak": 25.0,
  "percent_of_dense_peak": 50.0,
  "host_us": null,
  "call_us": null,
  "utilization": 0.25,
  "time_interval": {"low":0.5,"high":2.0,"assumed":true,"low_80":0.75,"high_80":1.5},
  "dense_time_interval": {"low":1.25,"high":1.75,"assumed":false,"low_80":1.3,"high_80":1.7},
  "dense_peak_tflops": 400.0,
  "dense_cycles": )" +
         dense_cycles + ",\n  \"speedup\": " + speedup +
         R"(,
  "speedup_interval": {"low":1.0,"high":2.25,"assumed":false,"low_80":1.2,"high_80":2.0})" +
         ",\n  \"beside\": [],\n";
}

std::string launch_lines() {
  return R"(  "bound_by": "dram",
  "tile": "128x256x64",
  "multiplier_macs": 50,
  "peak_macs": 200,
  "mma_instructions": 9,
  "kernel": )" +
         kernel_text_of("sparse_128x256x64_s3") + ",\n  \"traffic\": " + kTrafficText +
         ",\n  \"buckets\": " + kBucketsText + ",\n";
}

/// The document with these texts for the values that depend on what was run.
std::string document_with(const std::string& reason, const std::string& dense_cycles,
                          const std::string& speedup, const std::string& dense,
                          const std::string& search, const std::string& functional) {
  return "{\n  \"schema\": \"stcsim.gemm/1\",\n  \"version\": \"" + std::string(program_version()) +
         "\",\n  \"config_hash\": \"00ff\",\n  \"config\": {\"a\":1},\n" + problem_lines(reason) +
         rate_lines(dense_cycles, speedup) + launch_lines() + "  \"dense\": " + dense +
         ",\n  \"kernel_search\": " + search + ",\n  \"functional\": " + functional + "\n}\n";
}

TEST(GemmJson, WithoutBaseline) {
  EXPECT_EQ(gemm_to_json(sample_report()),
            document_with("\"\"", "null", "null", "null", "null", "null"));
}

TEST(GemmJson, WithBaselineAndFunctionalCheck) {
  const std::string dense =
      R"({"cycles":1536,"sustained_clock_mhz":1024.0,"board_watts":0.0,"time_us":1.5,"achieved_tflops":133.33333333333334,"peak_tflops":400.0,"percent_of_peak":33.333333333333336,"percent_of_dense_peak":33.333333333333336,"host_us":null,"call_us":null,"utilization":0.25,"tile":"128x256x64","multiplier_macs":50,"peak_macs":200,"mma_instructions":9,"kernel":)" +
      kernel_text_of("dense_128x256x32_s3") + R"(,"traffic":)" + kTrafficText + R"(,"buckets":)" +
      kBucketsText + R"(,"kernel_search":null})";
  const std::string search =
      R"({"possible":1040,"simulated":3,"cannot_win":1030,"left_out":7,"regret_at_most":0.125,"left_out_estimate":1.5})";
  EXPECT_EQ(
      gemm_to_json(report_with_everything()),
      document_with(
          R"("short k, long epilogue")", "1536", "1.5", dense, search,
          R"({"checked_elements":1000000,"mismatches":2,"text":"C[3][4] is 1, expected 2","draws":1,"mean_cycles":0.0,"least_cycles":0,"most_cycles":0})"));
}

TEST(GemmJson, RefusesAConfigurationThatIsNoObject) {
  GemmReport report = sample_report();
  report.resolved_config = "";
  EXPECT_THROW((void)gemm_to_json(report), std::invalid_argument);
}

const std::string kLaunchColumns =
    "tile,multiplier_macs,peak_macs,mma_instructions,kernel.name,kernel.tile_m,kernel.tile_n,"
    "kernel.tile_k,kernel.stages,kernel.warps,kernel.instruction,kernel.split_k,kernel.ctas,"
    "kernel.ctas_per_sm,kernel.waves,traffic.shared_memory_read_bytes,"
    "traffic.shared_memory_write_bytes,traffic.l2_read_bytes,traffic.l2_hit_bytes,"
    "traffic.l2_write_bytes,traffic.dram_read_bytes,traffic.dram_write_bytes,"
    "traffic.metadata_bytes,";

const std::string kSearchColumns =
    "kernel_search.possible,kernel_search.simulated,kernel_search.cannot_win,"
    "kernel_search.left_out,kernel_search.regret_at_most,kernel_search.left_out_estimate,";

const std::string kColumns =
    "schema,version,config_hash,machine,clock_mhz,m,n,k,batch_count,dtype,pattern,"
    "hardware_pattern,ran_sparse,reason,stack,method,framework,cycles,sustained_clock_mhz,board_"
    "watts,time_"
    "us,achieved_tflops,peak_tflops,"
    "percent_of_peak,percent_of_dense_peak,host_us,call_us,utilization,time_interval.low,time_"
    "interval.high,time_"
    "interval.assumed,"
    "time_interval.low_80,time_interval.high_80,"
    "dense_time_interval.low,dense_time_interval.high,dense_time_interval.assumed,"
    "dense_time_interval.low_80,dense_time_interval.high_80,"
    "dense_peak_tflops,dense_cycles,speedup,speedup_interval.low,speedup_interval.high,"
    "speedup_interval.assumed,speedup_interval.low_80,speedup_interval.high_80,bound_by," +
    kLaunchColumns +
    "dense.cycles,dense.sustained_clock_mhz,dense.board_watts,dense.time_us,dense.achieved_tflops,"
    "dense.peak_tflops,dense.percent_of_peak,dense.percent_of_dense_peak,dense.host_us,dense.call_"
    "us,"
    "dense.utilization,dense." +
    std::regex_replace(kLaunchColumns, std::regex(",(.)"), ",dense.$1") + "dense." +
    std::regex_replace(kSearchColumns, std::regex(",(.)"), ",dense.$1") + kSearchColumns +
    "functional.checked_elements,functional.mismatches,functional.text,functional.draws,"
    "functional.mean_cycles,functional.least_cycles,functional.most_cycles,dense.dram.busy,"
    "dense.dram.instances,dense.tensor_core.busy,dense.tensor_core.idle,"
    "dense.tensor_core.instances,dense.tensor_core.waiting_operands,dram.busy,dram.instances,"
    "tensor_core.busy,tensor_core.idle,tensor_core.instances,tensor_core.waiting_operands\r\n";

TEST(GemmCsv, WithoutBaselineItsColumnsAreEmpty) {
  EXPECT_EQ(
      gemm_to_csv(sample_report()),
      kColumns + "stcsim.gemm/1," + std::string(program_version()) +
          ",00ff,a100,1024.0,1000,1000,100,1,fp16,2:4,2:4,true,,vendor,loop,,1024,1024.0,0.0,"
          "1.0,200.0,"
          "800.0,25.0,50.0,,,"
          "0.25,0.5,2.0,true,0.75,1.5,1.25,1.75,false,1.3,1.7,400.0,,,1.0,2.25,false,1.2,2.0,dram,"
          "128x256x64,50,200,9,"
          "sparse_128x256x64_s3,128,256,64,3,8,"
          "mma.sp.m16n8k32,1,32,1,0.296,1000,2000,3000,1500,4000,5000,6000,70" +
          std::string(std::size_t{59}, ',') + ",0,1,1,1,432,2\r\n");
}

TEST(GemmCsv, WithBaselineAndFunctionalCheck) {
  EXPECT_EQ(gemm_to_csv(report_with_everything()),
            kColumns + "stcsim.gemm/1," + std::string(program_version()) +
                ",00ff,a100,1024.0,1000,1000,100,1,fp16,2:4,2:4,true,\"short k, long epilogue\","
                "vendor,loop,,1024,1024.0,0.0,1.0,200.0,800.0,25.0,50.0,,,0.25,0.5,2.0,true,"
                "0.75,1.5,1.25,1.75,false,1.3,1.7,400.0,1536,1.5,1.0,2.25,false,1.2,2.0,dram,"
                "128x256x64,50,200,9,"
                "sparse_128x256x64_s3,128,256,64,3,8,mma.sp.m16n8k32,1,32,1,0.296,1000,2000,3000,"
                "1500,4000,5000,6000,70,1536,1024.0,0.0,1.5,133.33333333333334,400.0,33."
                "333333333333336,33.333333333333336,,,0.25,"
                "128x256x64,50,200,9,dense_128x256x32_s3,128,256,64,3,8,mma.sp.m16n8k32,1,32,1,"
                "0.296,1000,2000,3000,1500,4000,5000,6000,70,,,,,,,1040,3,1030,7,0.125,1.5,1000000,"
                "2,\"C[3][4] is 1, expected "
                "2\",1,0.0,0,0,0,1,1,1,432,2,0,1,1,1,432,2\r\n");
}

}  // namespace
}  // namespace stcsim
