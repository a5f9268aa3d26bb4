#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace stcsim {

/// Bits per element of a type by the name that passes give it; nothing for an unknown one.
[[nodiscard]] constexpr std::optional<int> bits_of_stored(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kBits{
      {{"fp32", 32}, {"fp16", 16}, {"int64", 64}, {"int32", 32}, {"byte", 8}, {"bit", 1}}};
  for (const auto& [name, bits] : kBits) {
    if (name == type) return bits;
  }
  return std::nullopt;
}

}  // namespace stcsim
