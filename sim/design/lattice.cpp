#include "sim/design/lattice.hpp"

#include <numeric>
#include <utility>

namespace stcsim {

Lattice::Lattice(Levels sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
  for (std::size_t at = sizes_.size(); at-- > 0;) {
    strides_[at] = count_;
    count_ *= sizes_[at];
  }
}

Levels Lattice::levels(std::size_t machine) const {
  Levels levels(sizes_.size());
  for (std::size_t at = 0; at < levels.size(); ++at) levels[at] = level(machine, at);
  return levels;
}

std::size_t Lattice::machine(const Levels& levels) const {
  return std::inner_product(levels.begin(), levels.end(), strides_.begin(), std::size_t{0});
}

std::size_t Lattice::with(std::size_t machine, std::size_t resource, std::size_t level) const {
  return machine - this->level(machine, resource) * strides_[resource] + level * strides_[resource];
}

std::size_t Lattice::height(std::size_t machine) const {
  const Levels all = levels(machine);
  return std::accumulate(all.begin(), all.end(), std::size_t{0});
}

bool Lattice::is_within(std::size_t machine, std::size_t other) const {
  for (std::size_t at = 0; at < sizes_.size(); ++at) {
    if (level(machine, at) > level(other, at)) return false;
  }
  return true;
}

}  // namespace stcsim
