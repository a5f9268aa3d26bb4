#include "sim/design/unevenness.hpp"

#include <algorithm>

namespace stcsim {

double unevenness(const Lattice& lattice, const std::vector<std::size_t>& machines,
                  const std::function<double(std::size_t machine)>& time) {
  double most = 0;
  for (const std::size_t less : machines) {
    for (const std::size_t more : machines) {
      if (lattice.is_within(less, more)) most = std::max(most, time(more) / time(less) - 1);
    }
  }
  return most;
}

}  // namespace stcsim
