#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pruning/matrix.hpp"

namespace stcsim::pruning {

/// Philox4x32 with 10 rounds: four random words from a counter and a key (Salmon et al., "Parallel
/// Random Numbers: As Easy as 1, 2, 3", SC 2011).
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// The purpose numbers are drawn for; streams of different purposes are independent.
enum class Purpose : std::uint32_t { pruning, input, permutation, batches, samples };

/// An endless sequence of random words of which any part can be had at once: word i is word i % 4
/// of philox({i / 4 (64 bits), draw, purpose}, seed). A number depends on the seed, the purpose,
/// the draw and its place only, so the order in which groups are pruned makes no difference.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t draw = 0)
      : seed_(seed), purpose_(purpose), draw_(draw) {}

  [[nodiscard]] std::uint32_t word(std::uint64_t index) const;
  /// (word(index) + 1/2) / 2^32: uniform in (0, 1), never 0 or 1.
  [[nodiscard]] double uniform(std::uint64_t index) const;

  /// The numbers at first, first + 1, ...: (word >> 9, plus 1/2) / 2^23, exact in fp32 and never 0
  /// or 1.
  void fill(std::uint64_t first, std::span<float> uniforms) const;

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t draw_;
};

/// Numbers of a stream one after the other.
class RandomSequence {
 public:
  explicit RandomSequence(RandomStream stream) : stream_(stream) {}

  /// Uniform in (0, 1).
  double uniform() { return stream_.uniform(next_++); }
  /// Uniform in 0 ... count - 1, to within count / 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(count));
  }

  /// Fisher and Yates.
  void shuffle(std::vector<std::int64_t>& order) {
    for (std::int64_t left = std::ssize(order); left > 1; --left) {
      std::swap(order[static_cast<std::size_t>(left - 1)],
                order[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

/// True if `text` asks for generated numbers, "KIND:SHAPE" with letters before the colon.
[[nodiscard]] bool is_generated_input(std::string_view text);

/// Generates "normal:1024x1024" (mean 0, variance 1, by Box and Muller), "uniform:..." (from -1 to
/// 1) or "constant:..." (ones), with any number of axes. The same for the same seed everywhere, up
/// to the rounding of the C library's logarithm and sine. Throws ConfigError for anything else.
[[nodiscard]] Tensor generated_input(std::string_view text, std::uint64_t seed,
                                     Purpose purpose = Purpose::input);

}  // namespace stcsim::pruning
