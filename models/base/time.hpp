#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

#include "common/counts.hpp"

namespace stcsim {

/// Apart from what it ends, which stays small enough to be inlined everywhere.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_time(const char* why) {
  throw std::logic_error(why);
}

/// A length of time in cycles of the machine's clock. Never negative.
class Cycles {
 public:
  constexpr Cycles() = default;
  constexpr explicit Cycles(std::int64_t count) : count_(count) {
    if (count < 0) fail_time("negative length of time");
  }
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  friend constexpr auto operator<=>(Cycles, Cycles) = default;
  friend constexpr Cycles operator+(Cycles a, Cycles b) { return Cycles(a.count_ + b.count_); }
  friend constexpr Cycles operator-(Cycles a, Cycles b) { return Cycles(a.count_ - b.count_); }
  friend constexpr Cycles operator*(Cycles a, std::int64_t times) {
    return Cycles(a.count_ * times);
  }
  constexpr Cycles& operator+=(Cycles other) { return *this = *this + other; }

 private:
  std::int64_t count_ = 0;
};

/// A point in time: cycles since the launch of the kernel. Never negative.
class Cycle {
 public:
  constexpr Cycle() = default;
  constexpr explicit Cycle(std::int64_t index) : index_(index) {
    if (index < 0) fail_time("point in time before the launch");
  }
  [[nodiscard]] constexpr std::int64_t index() const { return index_; }

  friend constexpr auto operator<=>(Cycle, Cycle) = default;
  friend constexpr Cycle operator+(Cycle at, Cycles length) {
    return Cycle(at.index_ + length.count());
  }
  friend constexpr Cycle operator-(Cycle at, Cycles length) {
    return Cycle(at.index_ - length.count());
  }
  /// Length from `b` to `a`; an error if `a` lies before `b`.
  friend constexpr Cycles operator-(Cycle a, Cycle b) { return Cycles(a.index_ - b.index_); }
  constexpr Cycle& operator+=(Cycles length) { return *this = *this + length; }

 private:
  std::int64_t index_ = 0;
};

inline constexpr Cycles kOneCycle{1};
/// Stands for "not at all": later than every point in time. Only to be compared with.
inline constexpr Cycle kNever{std::numeric_limits<std::int64_t>::max()};

/// ceil(amount / per_cycle): whole cycles a transfer of `amount` takes.
[[nodiscard]] constexpr Cycles cycles_for(std::int64_t amount, std::int64_t per_cycle) {
  return Cycles((amount + per_cycle - 1) / per_cycle);
}

/// The earliest of several times, each of which may be kNever.
template <class... Others>
[[nodiscard]] constexpr Cycle earliest(Cycle first, Others... others) {
  ((first = std::min(first, others)), ...);
  return first;
}

/// Nothing in place of kNever.
[[nodiscard]] constexpr std::optional<Cycle> if_ever(Cycle at) {
  return at == kNever ? std::nullopt : std::optional(at);
}

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
