#pragma once

#include <cstdint>

#include "common/data_type.hpp"
#include "models/base/mma_instruction.hpp"
#include "models/sub_core/sub_core_config.hpp"

namespace stcsim {

/// What matrix instructions moved and switched inside the SMs, besides multiplying.
struct OperandActions {
  /// A, B and metadata that came from registers; A and B do not where they come straight from
  /// shared memory (wgmma).
  std::int64_t register_bytes = 0;
  /// C read and D written.
  std::int64_t accumulator_bytes = 0;
  /// Into the metadata buffers.
  std::int64_t metadata_bytes = 0;
  /// Positions that were decoded: one for each kept value of A, or pair of them.
  std::int64_t decodes = 0;
  /// 2-input multiplexers of one bit, each time that an operand of B came through.
  std::int64_t selector_muxes = 0;
  /// Multiply-accumulates of patterns that no energy was measured with: all but dense, 1:2 and 2:4
  /// (of values or of pairs), which GEMM times were.
  std::int64_t unmeasured_macs = 0;

  OperandActions& operator+=(const OperandActions& more);
  friend bool operator==(const OperandActions&, const OperandActions&) = default;
};

/// Bits of an operand as registers hold it: 16 of fp16, 32 of tf32, 4 of int4.
[[nodiscard]] std::int64_t stored_bits(DataType dtype);

/// Whether published GEMM times say what a multiply-accumulate of this pattern takes.
[[nodiscard]] bool is_measured(Pattern pattern);

/// 2-input multiplexers that one value of B passes on its way to a multiplier: all but one of the
/// inputs of a full crossbar from the m of a group to each of the n kept (pairs count as one). 0 if
/// dense.
[[nodiscard]] std::int64_t muxes_per_value(Pattern pattern);

/// Of so many equal instructions.
[[nodiscard]] OperandActions actions_of(const MmaInstruction& instruction,
                                        const OperandFetchConfig& fetch, std::int64_t instructions);

}  // namespace stcsim
