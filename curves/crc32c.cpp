#include "curves/crc32c.hpp"

#include <array>
#include <bit>

namespace stcsim::curves {
namespace {

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kReflected = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kReflected : 0U);
    table[byte] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_crc_table();
  std::uint32_t crc = ~before;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8U);
  }
  return ~crc;
}

std::uint32_t masked_crc(std::uint32_t crc) {
  constexpr std::uint32_t kMaskDelta = 0xA282EAD8;
  return std::rotr(crc, 15) + kMaskDelta;
}

}  // namespace stcsim::curves
