#include "sim/run/known_launches.hpp"

namespace stcsim {

const LaunchStatistics* KnownLaunches::find(const RunConditions& conditions,
                                            const KernelLaunch& launch) const {
  const auto known = known_.find({conditions, launch});
  return known == known_.end() ? nullptr : &known->second;
}

void KnownLaunches::keep(const RunConditions& conditions, const KernelLaunch& launch,
                         const LaunchStatistics& statistics) {
  if (known_.size() == most_) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(known_.try_emplace({conditions, launch}, statistics).first);
}

}  // namespace stcsim
