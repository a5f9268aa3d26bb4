#pragma once

#include <cstdint>

#include "common/data_type.hpp"
#include "common/pattern.hpp"

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
  /// Measured cycles between two issues of different warps; 0 = not measured. What the hardware of
  /// the file has to come to, not what it does: see InstructionTiming.
  std::int64_t interval_cycles = 0;
  /// Type of C and D.
  DataType accumulator = accumulator_of(dtype);

  friend bool operator==(const MmaInstruction&, const MmaInstruction&) = default;
};

/// Bytes one instruction moves between the register file and the tensor core.
struct InstructionOperands {
  std::int64_t a_bytes = 0;  // kept values
  std::int64_t b_bytes = 0;  // all of B
  std::int64_t metadata_bytes = 0;
  std::int64_t c_bytes = 0;  // read, and as many of D written
};
[[nodiscard]] InstructionOperands operands_of(const MmaInstruction& instruction);

/// Multiply-accumulates that the multipliers do for it.
[[nodiscard]] std::int64_t kept_macs(const MmaInstruction& instruction);

}  // namespace stcsim
