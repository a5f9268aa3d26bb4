#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Types that a tensor core accumulates in; fp16 only products of fp16 and fp8 operands.
inline constexpr std::array<DataType, 3> kAccumulators{DataType::fp16, DataType::fp32,
                                                       DataType::int32};

/// Warps that issue a wgmma together.
inline constexpr std::int64_t kWarpsOfGroup = 4;

/// One matrix instruction of a warp: D[m x n] = A[m x k] * B[k x n] + C. `k` is logical
/// (uncompressed); a sparse instruction multiplies k*n/m kept values of A per row. One whose
/// pattern is of outputs computes so many of the n columns in each row, and its metadata say which.
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
  /// The format of its metadata: the operand selector's, not a key of its own.
  MetadataFormat metadata = {};

  static void visit_fields(auto& self, auto& visitor) {
    using field::elements;
    constexpr std::int64_t kLargest = 1024;
    visitor.field(field::type("dtype", "of A and B", operand_data_types()), self.dtype);
    visitor.field(
        field::type("accumulator",
                    "of C and D. Kernels use instructions with the default; others are for "
                    "`evidence rows`",
                    kAccumulators)
            .optional("`int32` for int8 and int4, else `fp32`"),
        self.accumulator, accumulator_of(self.dtype));
    visitor.field(field::pattern("pattern", "of A, or of outputs").optional(), self.pattern);
    visitor.field(elements("m", "rows of A and C").from(1, kLargest), self.m);
    visitor.field(elements("n", "columns of B and C").from(1, kLargest), self.n);
    visitor.field(
        elements("k", "logical: zeros count. A multiple of the pattern's m").from(1, kLargest),
        self.k);
    visitor.field(field::cycles("latency_cycles", "issue to result").from(1, field::kMostCycles),
                  self.latency_cycles);
    visitor.field(
        field::cycles(
            "interval_cycles",
            "measured, between two issues of different warps; 0: not measured. It must be "
            "within 3 % of what the file's own multipliers, registers, metadata buffer and "
            "selector come to. Where `extends:` or `--set` changes any key of them, it is left "
            "out")
            .optional()
            .without_effect("a measurement that the hardware's own pace is compared with"),
        self.interval_cycles);
  }

  friend auto operator<=>(const MmaInstruction&, const MmaInstruction&) = default;
};

/// Bytes one instruction moves between the register file and the tensor core.
struct InstructionOperands {
  std::int64_t a_bytes = 0;  // kept values
  std::int64_t b_bytes = 0;  // all of B
  std::int64_t metadata_bytes = 0;
  std::int64_t c_bytes = 0;  // of what is computed: read, and as many of D written
};
[[nodiscard]] InstructionOperands operands_of(const MmaInstruction& instruction);

/// Multiply-accumulates that the multipliers do for it.
[[nodiscard]] std::int64_t kept_macs(const MmaInstruction& instruction);

}  // namespace stcsim
