#pragma once

#include <cstdint>
#include <vector>

#include "sim/sweep/space.hpp"

namespace stcsim {

/// What a space's points of one kind have on each axis (Space::axes), in a fixed order: the
/// dimensions' cross product, the last one fastest, or a sample in the order it is drawn; without
/// what a constraint excludes, and each once.
///
/// A random sample is drawn until it has as many points as are asked for, or all, or hardly finds
/// others. A Latin hypercube has one point in each of as many equal slices of every dimension; what
/// is excluded, or is there already, is left out of it. The same seed gives the same points
/// everywhere (64-bit Mersenne Twister, 53 bits a draw; dimensions that do not concern the kind are
/// not drawn).
/// @throws ConfigError if the space has more than kMostPoints, or none
[[nodiscard]] std::vector<Assignment> expand(const Space& space, PointKind kind);
inline constexpr std::int64_t kMostPoints = 1'000'000;

}  // namespace stcsim
