#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sim/design/lattice.hpp"

namespace stcsim {

/// A step from one machine to another: resources that grow together.
struct GrowthStep {
  std::vector<std::size_t> resources;
  std::size_t machine = 0;
  /// Time before / time after - 1.
  double gain = 0;
};

/// What a growth is told by: times, of many machines at once where that is quicker.
struct TimesOf {
  std::function<double(std::size_t machine)> time;
  std::function<void(const std::vector<std::size_t>& machines)> prepare;
};

/// Gains below this are none: more of a resource makes no difference there.
inline constexpr double kLeastGain = 0.01;

/// The way from one machine up to another that has more: every step raises by one level the fewest
/// resources that together gain kLeastGain, of several such sets the one that gains most. Where no
/// set does, all that is left grows at once.
[[nodiscard]] std::vector<GrowthStep> way_up(const Lattice& lattice, std::size_t from,
                                             std::size_t to, const TimesOf& times);

/// What one resource alone does to a machine: time of `machine` / time with that level - 1, for
/// each resource.
/// @param level_of  which level a resource is to have
[[nodiscard]] std::vector<double> gains_of_each(
    const Lattice& lattice, std::size_t machine,
    const std::function<std::size_t(std::size_t resource)>& level_of, const TimesOf& times);

/// How far times are from never rising with more of a resource: the most that a machine takes
/// beyond one that it has as much of everything as, as a share; 0 if none takes longer. A search
/// whose slack is less may miss a machine.
[[nodiscard]] double unevenness(const Lattice& lattice, const std::vector<std::size_t>& machines,
                                const std::function<double(std::size_t machine)>& time);

}  // namespace stcsim
