#pragma once

#include <cstdint>
#include <vector>

#include "common/data_type.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/time.hpp"

namespace stcsim {

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

  /// Of one sub-core; 0 if it does not multiply this type.
  [[nodiscard]] std::int64_t fma_per_clk(DataType dtype) const {
    for (const MultiplierRate& rate : multipliers) {
      if (rate.dtype == dtype) return rate.fma_per_clk;
    }
    return 0;
  }
  friend bool operator==(const TensorCoreConfig&, const TensorCoreConfig&) = default;
};

}  // namespace stcsim
