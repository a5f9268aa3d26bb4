#pragma once

#include <optional>
#include <string>

#include "reports/validation/gemm_rows.hpp"

namespace stcsim::test {

/// A row of machine "x", fp16, of source "s" on stack "a", for testing.
inline ValidationRow dense_row(double measured_us, double simulated_us) {
  ValidationRow row;
  row.machine = "x";
  row.gemm.gpu = "X";
  row.gemm.source = "s";
  row.gemm.stack = "a";
  row.gemm.where = {"t.csv", 2, 1};
  row.gemm.problem.m = row.gemm.problem.n = row.gemm.problem.k = 64;
  row.gemm.measured.dense_us = measured_us;
  row.simulated.dense_us = simulated_us;
  return row;
}

}  // namespace stcsim::test
