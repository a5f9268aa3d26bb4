#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stcsim {

/// The three GEMMs of a layer's training step: Y = W X, dX = W^T dY, dW = dY X^T.
enum class Phase : std::uint8_t { forward, dgrad, wgrad };

inline constexpr std::array<Phase, 3> kPhases{Phase::forward, Phase::dgrad, Phase::wgrad};

[[nodiscard]] constexpr std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 3> kNames{"forward", "dgrad", "wgrad"};
  return kNames.at(static_cast<std::size_t>(phase));
}

[[nodiscard]] constexpr std::optional<Phase> phase_from_string(std::string_view name) {
  for (const Phase phase : kPhases) {
    if (to_string(phase) == name) return phase;
  }
  return std::nullopt;
}

}  // namespace stcsim
