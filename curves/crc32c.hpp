#pragma once

#include <cstdint>
#include <string_view>

namespace stcsim::curves {

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected): RFC 3720, appendix B.4 has examples.
/// @param before the sum of the bytes before `bytes`, to go on with
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The sum as TFRecord files store it: rotated right by 15 bits, plus a constant, so that the sum
/// of data that holds sums is no accident.
[[nodiscard]] std::uint32_t masked_crc(std::uint32_t crc);

}  // namespace stcsim::curves
