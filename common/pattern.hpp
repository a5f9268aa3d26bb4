#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stcsim {

/// n:m structured sparsity: at most `n` non-zeros kept in every aligned group of `m` consecutive
/// elements along the reduction axis. n always counts the *kept* elements (papers disagree).
struct Pattern {
  std::int64_t n = 1;
  std::int64_t m = 1;

  friend auto operator<=>(const Pattern&, const Pattern&) = default;

  [[nodiscard]] bool is_dense() const { return n == m; }
  /// Bits of metadata that locate the kept elements of one group: n * ceil(log2 m).
  [[nodiscard]] std::int64_t metadata_bits_per_group() const;
  /// "2:4", or "dense".
  [[nodiscard]] std::string to_string() const;
};

inline constexpr Pattern kDense{1, 1};
/// Largest group size any supported metadata format addresses.
inline constexpr std::int64_t kMaxGroup = 128;

/// Parses "n:m" with 1 <= n <= m <= kMaxGroup, or "dense". Nothing if malformed.
[[nodiscard]] std::optional<Pattern> pattern_from_string(std::string_view text);

/// True if every tensor with pattern `tensor` also satisfies `hardware`: no aligned group of
/// hardware.m elements can hold more than hardware.n non-zeros.
[[nodiscard]] bool fits(Pattern tensor, Pattern hardware);

}  // namespace stcsim
