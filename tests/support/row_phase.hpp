#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/run/result.hpp"

namespace stcsim::test {

/// The phase of that name.
inline RowPhase row_phase_named(std::string_view name) {
  for (const RowPhase phase : {RowPhase::forward, RowPhase::dgrad, RowPhase::wgrad,
                               RowPhase::optimizer, RowPhase::other, RowPhase::inference}) {
    if (to_string(phase) == name) return phase;
  }
  throw std::invalid_argument("no phase is called " + std::string(name));
}

}  // namespace stcsim::test
