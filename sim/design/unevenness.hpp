#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/design/lattice.hpp"

namespace stcsim {

/// How far times are from never rising with more of a resource: the most that a machine takes
/// beyond one that it has as much of everything as, as a share; 0 if none takes longer. A search
/// whose slack is less may miss a machine.
[[nodiscard]] double unevenness(const Lattice& lattice, const std::vector<std::size_t>& machines,
                                const std::function<double(std::size_t machine)>& time);

}  // namespace stcsim
