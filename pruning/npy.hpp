#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// The value of an IEEE 754 binary16 number; every one is also an fp32 number. NaN keeps its
/// payload.
[[nodiscard]] inline float half_to_float(std::uint16_t bits) {
  constexpr float kSmallestSubnormal = 0x1p-24F;
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * kSmallestSubnormal;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

/// The largest NumPy file that is read: 8 GiB, 2^31 numbers of fp32.
inline constexpr std::size_t kLargestNpy = std::size_t{8} << 30U;

/// Reads a NumPy file of format version 1.0 or 2.0 with little-endian fp32 ('<f4') or fp16 ('<f2')
/// in C or Fortran order (NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays");
/// the tensor is in C order. Throws ConfigError "FILE: error: ..." for anything else: one that is
/// larger, another type, version or key, a header that is not what NumPy writes, more or fewer data
/// than the shape asks for, no axis or an empty one.
[[nodiscard]] Tensor read_npy(const std::filesystem::path& file);

/// Numbers, and the type NumPy calls them by.
struct TypedNumbers {
  Tensor numbers;
  std::string type;
};

/// The same, also of bytes ('|u1') and whole numbers ('<i4', '<i8'), of which those beyond 2^24 are
/// rounded to fp32.
[[nodiscard]] TypedNumbers read_npy_numbers(const std::filesystem::path& file);

/// The bytes of a NumPy file, version 1.0, C order: fp32, unsigned 32-bit and signed 64-bit words.
[[nodiscard]] std::string npy_text(const std::vector<std::int64_t>& shape,
                                   std::span<const float> values);
[[nodiscard]] std::string npy_text(const std::vector<std::int64_t>& shape,
                                   std::span<const std::uint32_t> values);
[[nodiscard]] std::string npy_text(const std::vector<std::int64_t>& shape,
                                   std::span<const std::int64_t> values);

}  // namespace stcsim::pruning
