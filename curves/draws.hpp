#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace stcsim::curves {

/// Random numbers that are the same with every compiler and library: std::mt19937_64 is laid down
/// by the standard, its distributions are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  /// One of 0 ... count - 1 (below 2^32), all equally likely to within count / 2^32.
  std::size_t below(std::size_t count) { return ((engine_() >> 32U) * count) >> 32U; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stcsim::curves
