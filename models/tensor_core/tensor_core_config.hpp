#pragma once

#include <cstdint>
#include <vector>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/base/time.hpp"

namespace stcsim {

struct MultiplierRate {
  DataType dtype = DataType::fp16;
  /// Multiply-accumulates per clk of one sub-core's tensor core.
  std::int64_t fma_per_clk = 0;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(field::of("fma_per_clk", "multiply-accumulates/clk", "of one sub-core")
                      .from(1, field::kMostUnits)
                      .more_is(Effect::faster),
                  self.fma_per_clk);
  }

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

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(
        field::list("multipliers", "one entry for each data type that the machine multiplies"),
        self.multipliers);
    visitor.field(field::list("instructions", "at least one dense one for each of those types"),
                  self.instructions);
    visitor.field(
        field::cycles(
            "same_warp_bubble_cycles",
            "what the multipliers wait, in the mean, between two instructions of the same "
            "warp that directly follow each other (in one instruction group), with "
            "accumulators of 32 bits; up to three decimals. Instructions that the operand "
            "fetch or the selector limits lose less, by the share of their interval in "
            "which the multipliers are idle"),
        self.same_warp_bubble);
    visitor.field(field::cycles("same_warp_bubble_fp16_cycles", "with accumulators of 16 bits")
                      .optional("`same_warp_bubble_cycles`"),
                  self.same_warp_bubble_fp16, self.same_warp_bubble);
  }

  friend bool operator==(const TensorCoreConfig&, const TensorCoreConfig&) = default;
};

}  // namespace stcsim
