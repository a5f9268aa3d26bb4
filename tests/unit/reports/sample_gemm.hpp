#pragma once

#include "reports/gemm/gemm_report.hpp"
#include "tests/support/counters.hpp"

namespace stcsim::test {

/// 1024 cycles at 1024 MHz are 1 us; 2 * 1000 * 1000 * 100 FLOP in 1 us are 200 TFLOP/s.
inline GemmReport sample_report() {
  GemmReport report;
  report.problem.m = 1000;
  report.problem.n = 1000;
  report.problem.k = 100;
  report.problem.a_pattern = {2, 4};
  report.machine = "a100";
  report.hardware_pattern = {2, 4};
  report.launch.kernel = {"sparse_128x256x64_s3", 128, 256, 64, 3,    8,
                          "mma.sp.m16n8k32",      1,   32,  1,  0.296};
  report.launch.cycles = 1024;
  report.launch.clock_mhz = 1024;
  report.launch.multiplier_macs = 50;
  report.launch.peak_macs = 200;
  report.launch.mma_instructions = 9;
  report.launch.counters = test::traffic({1000, 2000, 3000, 1500, 4000, 5000, 6000, 70});
  report.launch.units = {{"tensor_core", 432, {{"busy", 1}, {"waiting_operands", 2}, {"idle", 1}}},
                         {"dram", 1, {{"busy", 0}}}};
  report.bound_by = "dram";
  report.stack = "vendor";
  report.method = {"loop", 0};
  report.clock_mhz = 1024;
  report.dense_peak_tflops = 400;
  report.peak_tflops = 800;
  report.likely = {
      {0.5, 2, true, 0.75, 1.5}, {1.25, 1.75, false, 1.3, 1.7}, {1, 2.25, false, 1.2, 2}};
  report.resolved_config = "{\"a\":1}";
  report.config_hash = "00ff";
  return report;
}

inline GemmReport report_with_everything() {
  GemmReport report = sample_report();
  report.reason = "short k, long epilogue";
  report.search = KernelSearch{1040, 3, 1030, 7, 0.125, 1.5};
  report.dense = report.launch;
  report.dense->cycles = 1536;
  report.dense->kernel.name = "dense_128x256x32_s3";
  report.functional = FunctionalOutcome{1000000, 2, "C[3][4] is 1, expected 2"};
  return report;
}

}  // namespace stcsim::test
