#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pruning/tensor.hpp"

namespace stcsim::pruning {

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
