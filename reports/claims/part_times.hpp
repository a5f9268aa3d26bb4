#pragma once

#include "sim/run/result.hpp"

namespace stcsim {

/// Cycles of a part of a step as it ran, and of the dense one in its place.
[[nodiscard]] inline double cycles_of(const PhaseTotal& part) {
  return static_cast<double>(part.cycles);
}
[[nodiscard]] inline double dense_of(const PhaseTotal& part) {
  return part.speedup * cycles_of(part);
}
/// dense / sparse; 1 where nothing runs.
[[nodiscard]] inline double gain_of(double dense, double sparse) {
  return sparse > 0 ? dense / sparse : 1;
}

}  // namespace stcsim
