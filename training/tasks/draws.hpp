#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace stcsim::training {

/// splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014): the numbers of one sample, drawn one after the other.
class Draws {
 public:
  /// Streams of different (seed, index) are apart.
  Draws(std::uint64_t seed, std::uint64_t index) : state_(mix(seed) ^ mix(~index)) {}

  std::uint64_t word() {
    state_ += kStep;
    return mix(state_);
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(word() >> 11U) * 0x1p-53; }
  double uniform(double from, double to) { return from + (to - from) * unit(); }
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(unit() * static_cast<double>(count));
  }
  /// Mean 0, variance 1, by Box and Muller: two numbers of two draws, one after the other.
  double gauss() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    const double angle = 2 * std::numbers::pi * unit();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;

  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace stcsim::training
