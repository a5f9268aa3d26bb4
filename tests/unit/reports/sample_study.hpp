#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sim/run/result.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/row_phase.hpp"

namespace stcsim::test {

/// A GEMM row of machine "a100", network "mlp".
inline ResultRow gemm_row(std::string layer, std::string_view phase, std::string scheme,
                          std::int64_t cycles, std::int64_t dense_cycles) {
  ResultRow row;
  row.machine = "a100";
  row.network = "mlp";
  row.layer = std::move(layer);
  row.phase = row_phase_named(phase);
  row.scheme = std::move(scheme);
  row.m = 768;
  row.n = 512;
  row.k = 3072;
  row.macs = row.m * row.n * row.k;
  row.launches = 1;
  row.cycles = cycles;
  row.dense_cycles = dense_cycles;
  row.time_us = static_cast<double>(cycles) / 1000.0;
  row.dense_time_us = static_cast<double>(dense_cycles) / 1000.0;
  row.speedup = static_cast<double>(dense_cycles) / static_cast<double>(cycles);
  row.utilization = 0.5;
  row.bound_by = "tensor_core";
  row.kernel = {"dense_128x256x32_s3", 128, 256, 32, 3, 8, "mma.m16n8k16", 1, 12, 1, 0.125};
  row.counters = test::traffic({1, 2, 3, 4, 5, 6, 7, 8});
  row.units = {{"tensor_core", 432, {{"busy", 60}, {"idle", 40}}}};
  return row;
}

inline ResultRow sparse_row(std::string layer, std::string_view phase, std::string scheme,
                            std::int64_t cycles, std::int64_t dense_cycles) {
  ResultRow row = gemm_row(std::move(layer), phase, std::move(scheme), cycles, dense_cycles);
  row.pattern = {2, 4};
  row.hardware_pattern = {2, 4};
  row.sparse_operand = Tensor::weight;
  row.ran_sparse = true;
  row.sparse_macs = row.macs;
  return row;
}

/// A row that asked for 4:8 and ran dense.
inline ResultRow refused_row(std::string layer, std::string_view phase, std::string scheme) {
  ResultRow row = gemm_row(std::move(layer), phase, std::move(scheme), 1000, 1000);
  row.pattern = {4, 8};
  row.sparse_operand = Tensor::weight;
  row.reason = "4:8 does not fit 2:4 hardware";
  return row;
}

inline ResultRow stream_row(std::string layer, std::string op, std::string scheme) {
  ResultRow row;
  row.machine = "a100";
  row.network = "mlp";
  row.layer = std::move(layer);
  row.phase = RowPhase::other;
  row.scheme = std::move(scheme);
  row.op = std::move(op);
  row.kind = StreamKind::activation;
  row.cycles = 250;
  row.dense_cycles = 250;
  row.time_us = row.dense_time_us = 0.25;
  row.launches = 1;
  row.bound_by = "dram";
  row.counters = test::traffic({});
  row.units = {{"dram", 1, {{"busy", 250}}}};
  return row;
}

/// At 1 GHz.
inline PhaseTotal part(std::int64_t cycles, double dense_cycles) {
  const auto own = static_cast<double>(cycles);
  return {cycles, own / 1000, dense_cycles / own, 0, dense_cycles / 1000};
}

/// A step of a training that has no others.
inline void set_step(StudyTotal& total, const PhaseTotal& step) {
  total.step = total.training = step;
}

/// Two schemes on one machine and network: "dense", and "sr-ste" sparse in forward.
inline StudyResult small_study() {
  StudyResult study;
  study.resolved_config = R"({"dtype":"fp16","machines":["a100"]})";
  study.config_hash = "00ff";
  study.rows = {gemm_row("fc1", "forward", "dense", 3000, 3000),
                gemm_row("fc1", "dgrad", "dense", 3000, 3000),
                stream_row("fc1", "relu", "dense"),
                sparse_row("fc1", "forward", "sr-ste", 2000, 3000),
                gemm_row("fc1", "dgrad", "sr-ste", 3000, 3000),
                stream_row("fc1", "relu", "sr-ste")};
  study.totals = {{.machine = "a100",
                   .network = "mlp",
                   .scheme = "dense",
                   .share_of_training = 1,
                   .sparse_share = {},
                   .forward = part(3000000, 3000000),
                   .dgrad = part(3000000, 3000000),
                   .wgrad = {},
                   .gemms = part(6000000, 6000000),
                   .other = part(250000, 250000),
                   .scheme_work = {},
                   .step = part(6250000, 6250000),
                   .step_without_work = part(6250000, 6250000),
                   .training = part(6250000, 6250000)},
                  {.machine = "a100",
                   .network = "mlp",
                   .scheme = "sr-ste",
                   .share_of_training = 1,
                   .sparse_share = {1, 0, 0, 0.5},
                   .forward = part(2000000, 3000000),
                   .dgrad = part(3000000, 3000000),
                   .wgrad = {},
                   .gemms = part(5000000, 6000000),
                   .sparse_gemms = part(2000000, 3000000),
                   .other = part(250000, 250000),
                   .scheme_work = {},
                   .step = part(5250000, 6250000),
                   .step_without_work = part(5250000, 6250000),
                   .training = part(5250000, 6250000)}};
  return study;
}

/// The same, and "sr-ste" spends 750,000 cycles on pruning.
inline StudyResult small_study_with_work() {
  StudyResult study = small_study();
  StudyTotal& total = study.totals.back();
  total.other = part(1000000, 250000);
  total.scheme_work = part(750000, 0);
  set_step(total, part(6000000, 6250000));
  return study;
}

}  // namespace stcsim::test
