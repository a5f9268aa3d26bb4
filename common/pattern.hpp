#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stcsim {

/// n:m structured sparsity: at most `n` non-zeros kept in every aligned group of `m` consecutive
/// elements along the reduction axis. n always counts the *kept* elements (papers disagree).
///
/// With a granule of 2, neighbours are kept or dropped together: of the m/2 aligned pairs of a
/// group at most n/2 hold non-zeros. "4:8 pairs" is 2:4 of pairs, what NVIDIA's sparse tensor cores
/// demand of 4-bit types (PTX ISA, "Sparse matrix storage": .u4 and .s4).
struct Pattern {
  std::int64_t n = 1;
  std::int64_t m = 1;
  /// Elements kept or dropped together, 1 or 2; divides n and m.
  std::int64_t granule = 1;

  friend auto operator<=>(const Pattern&, const Pattern&) = default;

  [[nodiscard]] bool is_dense() const { return n == m; }
  /// The pattern of granules: {2, 4} for "4:8 pairs".
  [[nodiscard]] Pattern of_granules() const { return {n / granule, m / granule}; }
  /// Bits that say where in its group a granule stood: ceil(log2(m / granule)); none if dense.
  [[nodiscard]] std::int64_t position_bits() const;
  /// Bits of metadata that locate the kept granules of one group: position_bits() for each.
  [[nodiscard]] std::int64_t metadata_bits_per_group() const;
  /// "2:4", "4:8 pairs", or "dense".
  [[nodiscard]] std::string to_string() const;
};

inline constexpr Pattern kDense{1, 1};
/// Largest group size any supported metadata format addresses.
inline constexpr std::int64_t kMaxGroup = 128;

/// Parses "n:m" with 1 <= n <= m <= kMaxGroup, "n:m pairs" with n and m even, or "dense". Nothing
/// if malformed.
[[nodiscard]] std::optional<Pattern> pattern_from_string(std::string_view text);

/// True if every tensor with pattern `tensor` also satisfies `hardware`: in no aligned group of
/// hardware.m elements more than hardware.n / hardware.granule granules can hold non-zeros.
[[nodiscard]] bool fits(Pattern tensor, Pattern hardware);

}  // namespace stcsim
