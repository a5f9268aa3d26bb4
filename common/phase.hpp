#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "common/suggestion.hpp"

namespace stcsim {

/// The three GEMMs of a layer's training step: Y = W X, dX = W^T dY, dW = dY X^T.
enum class Phase : std::uint8_t { forward, dgrad, wgrad };

inline constexpr std::array<Phase, 3> kPhases{Phase::forward, Phase::dgrad, Phase::wgrad};

[[nodiscard]] constexpr std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 3> kNames{"forward", "dgrad", "wgrad"};
  return kNames.at(static_cast<std::size_t>(phase));
}

/// The phase as publications call it, for people to read.
[[nodiscard]] constexpr std::string_view title_of(Phase phase) {
  constexpr std::array<std::string_view, 3> kTitles{"forward", "backward (dgrad)",
                                                    "update (wgrad)"};
  return kTitles.at(static_cast<std::size_t>(phase));
}

/// The pass after training.
inline constexpr std::string_view kInferenceName = "inference";

/// Names that users may call the phases, in any case; to_string()'s names first.
inline constexpr std::array<std::pair<std::string_view, Phase>, 8> kPhaseNames{{
    {"forward", Phase::forward},
    {"dgrad", Phase::dgrad},
    {"wgrad", Phase::wgrad},
    {"fprop", Phase::forward},
    {"backward", Phase::dgrad},
    {"update", Phase::wgrad},
    {"backward (dgrad)", Phase::dgrad},
    {"update (wgrad)", Phase::wgrad},
}};

[[nodiscard]] inline std::optional<Phase> phase_from_string(std::string_view name) {
  for (const auto& [known, phase] : kPhaseNames) {
    if (same_but_case(known, name)) return phase;
  }
  return std::nullopt;
}

}  // namespace stcsim
