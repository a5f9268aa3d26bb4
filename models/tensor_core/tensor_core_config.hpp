#pragma once

#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "models/base/time.hpp"

namespace stcsim {

/// One matrix instruction of a warp: D[m x n] = A[m x k] * B[k x n] + C. `k` is logical
/// (uncompressed); a sparse instruction multiplies k*n/m kept values of A per row.
struct MmaInstruction {
  DataType dtype = DataType::fp16;
  Pattern pattern = kDense;
  std::int64_t m = 16;
  std::int64_t n = 8;
  std::int64_t k = 16;
  /// Issue to result, cycles.
  std::int64_t latency_cycles = 0;
  /// Cycles between two issues of different warps; 0 = not measured, derive it.
  std::int64_t interval_cycles = 0;
  /// Type of C and D.
  DataType accumulator = accumulator_of(dtype);

  friend bool operator==(const MmaInstruction&, const MmaInstruction&) = default;
};

struct MultiplierRate {
  DataType dtype = DataType::fp16;
  /// Multiply-accumulates per clk of one sub-core's tensor core.
  std::int64_t fma_per_clk = 0;

  friend bool operator==(const MultiplierRate&, const MultiplierRate&) = default;
};

struct TensorCoreConfig {
  std::vector<MultiplierRate> multipliers;
  std::vector<MmaInstruction> instructions;
  /// Mean of the cycles the multipliers wait where an instruction directly follows another one of
  /// its warp, with accumulators of 32 bits,
  Millicycles same_warp_bubble;
  /// and with accumulators of 16 bits.
  Millicycles same_warp_bubble_fp16;

  friend bool operator==(const TensorCoreConfig&, const TensorCoreConfig&) = default;
};

}  // namespace stcsim
