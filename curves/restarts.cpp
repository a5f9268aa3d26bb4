#include "curves/restarts.hpp"

#include <algorithm>

namespace stcsim::curves {

void Restarts::take(double x, std::size_t sample, int line) {
  if (!started_) {
    started_ = true;
    first_ = x;
  } else if (x > last_) {
    ++rises_;
  } else if (x < last_) {
    ++falls_;
    if (x <= first_) {
      found_.push_back({sample, line});
      first_ = x;
    }
  }
  last_ = x;
}

std::vector<Restart> Restarts::parts(std::size_t samples) const {
  std::vector<Restart> parts{{0, 0}};
  if (falls_ >= rises_) return parts;
  std::copy_if(found_.begin(), found_.end(), std::back_inserter(parts),
               [samples](const Restart& restart) { return restart.sample < samples; });
  return parts;
}

}  // namespace stcsim::curves
