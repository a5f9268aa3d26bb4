#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stcsim {

/// Number formats of tensor-core operands and accumulators.
enum class DataType : std::uint8_t {
  fp16,
  bf16,
  tf32,
  int8,
  int4,
  fp8_e4m3,
  fp8_e5m2,
  nvfp4,
  fp32,
  int32
};

/// Bytes that `elements` elements in a row take in memory, the last one whole, without the scales
/// of blocks: tf32 is stored as a 32-bit word, two int4 or nvfp4 share a byte. Rows that start at a
/// byte are rounded up one by one.
[[nodiscard]] std::int64_t bytes_of(DataType type, std::int64_t elements);

/// Bytes of the scales of so many elements in a row: one of 8 bits (e4m3) for each 16 of nvfp4,
/// whose elements are e2m1; no other type has blocks (PTX ISA, "Block scaling for tcgen05.mma").
[[nodiscard]] std::int64_t scale_bytes_of(DataType type, std::int64_t elements);

/// Elements that fit into so many bytes, scales aside.
[[nodiscard]] std::int64_t elements_in(DataType type, std::int64_t bytes);

/// Type the tensor core accumulates in: int32 for int8 and int4, fp32 for everything else.
[[nodiscard]] DataType accumulator_of(DataType type);

/// Type results are written to memory in, always one of whole bytes: 16-bit types keep their own,
/// tf32 gives fp32, fp8 and nvfp4 give fp16, int8 gives int8 (requantised, as inference libraries
/// do), int4 gives int32 (as CUTLASS' example of a sparse GEMM, 15_ampere_sparse_tensorop_gemm).
[[nodiscard]] DataType output_of(DataType type);

[[nodiscard]] std::string_view to_string(DataType type);

/// The type of that name, or nothing. Names: fp16, bf16, tf32, int8, int4, fp8_e4m3, fp8_e5m2,
/// nvfp4, fp32, int32.
[[nodiscard]] std::optional<DataType> data_type_from_string(std::string_view name);

/// The types a GEMM operand may have, in the order users read them.
[[nodiscard]] const std::vector<DataType>& operand_data_types();

}  // namespace stcsim
