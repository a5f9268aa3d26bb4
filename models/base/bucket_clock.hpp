#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/base/time.hpp"

namespace stcsim {

/// Accounts every cycle of a unit to exactly one bucket. `Bucket` is an enum whose last value is
/// `count`.
template <class Bucket>
class BucketClock {
 public:
  static constexpr std::size_t kCount = static_cast<std::size_t>(Bucket::count);

  /// Accounts the time since the last call to `bucket`.
  void account(Cycle now, Bucket bucket) {
    cycles_[static_cast<std::size_t>(bucket)] += now - since_;
    since_ = now;
  }
  [[nodiscard]] Cycle accounted_until() const { return since_; }
  [[nodiscard]] Cycles in(Bucket bucket) const { return cycles_[static_cast<std::size_t>(bucket)]; }
  template <class Visitor>
  void visit_state(Visitor& visitor) {
    for (Cycles& cycles : cycles_) visitor.counter(cycles);
    visitor.time(since_);
  }
  void reset() { *this = BucketClock(); }

 private:
  std::array<Cycles, kCount> cycles_{};
  Cycle since_;
};

}  // namespace stcsim
