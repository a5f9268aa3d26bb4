#pragma once

#include "reports/validation/validation_run.hpp"

namespace stcsim::test {

/// Latency +10 %, throughput -5 %.
inline InstructionRow sample_instruction() {
  InstructionRow row;
  row.measured.where.line = 5;
  row.measured.gpu = "A100";
  row.measured.name = "mma.sync";
  row.measured.types = "fp16/fp32";
  row.measured.shape = "m16n8k16";
  row.measured.warps = 8;
  row.measured.latency_cycles = 20;
  row.measured.fma_per_clk = 1000;
  row.machine = "a100";
  row.ilp = 2;
  row.latency_cycles = 22;
  row.fma_per_clk = 950;
  return row;
}

/// Sparse time -20 %; a simulated range of 1.1 to 1.2 where 1.5 was measured: -20 %.
inline NetworkRow sample_network() {
  NetworkRow row;
  row.measured.where.line = 7;
  row.measured.gpu = "A100";
  row.measured.network = "Net <1>";
  row.measured.config = "bs=8";
  row.measured.scheme = "asp";
  row.measured.batches = {1, 8};
  row.measured.measured.sparse_us = 1000;
  row.measured.measured.speedup = {1.5, 1.5};
  row.machine = "a100";
  row.simulated.sparse_us = 800;
  row.simulated.speedup = {1.1, 1.2};
  return row;
}

inline ValidationRow sample_gemm() {
  ValidationRow row;
  row.gemm.where.line = 3;
  row.gemm.gpu = "A100";
  row.gemm.pattern = "2:4";
  row.gemm.problem.m = row.gemm.problem.n = row.gemm.problem.k = 64;
  row.gemm.measured.dense_us = 10;
  row.simulated.dense_us = 11;
  return row;
}

/// One row of each kind, and a skipped one of instructions and of networks.
inline ValidationResults sample_validation() {
  InstructionRow no_instruction;
  no_instruction.measured.where.line = 6;
  no_instruction.skipped = "no machine for GPU 'Z9'";
  NetworkRow no_network;
  no_network.measured.where.line = 8;
  no_network.skipped = "pattern '64:2:8' is not n:m";
  return {{sample_gemm()}, {sample_instruction(), no_instruction}, {sample_network(), no_network}};
}

}  // namespace stcsim::test
