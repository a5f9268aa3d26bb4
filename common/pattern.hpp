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
///
/// In a composed pattern a granule is a block that is sparse in itself: "4:8x2:4" keeps four of
/// eight blocks, and of each of them two of four elements, 8 of 32 in all (hierarchical structured
/// sparsity: Wu et al., "HighLight", MICRO 2023).
///
/// In a pattern V:2:m, such as "128:2:10", every aligned block of V rows has non-zeros in only 4
/// columns of each aligned group of m, the same for all of its rows, and in these 4 each row keeps
/// two (Castro et al., "VENOM: A Vectorized N:M Format for Unleashing the Power of Sparse Tensor
/// Cores", SC 2023). The last block may be short.
///
/// "2:4 outputs" is no operand's: of each row of the result C, n of every aligned group of m
/// columns are wanted, which a mask says beforehand. Both operands are dense.
struct Pattern {
  std::int64_t n = 1;
  std::int64_t m = 1;
  /// Elements kept or dropped together, 1 or 2, or those of a block; divides m.
  std::int64_t granule = 1;
  /// Elements kept of each kept block of a composed pattern; divides n. 0: whole granules are.
  std::int64_t kept_of_block = 0;
  /// V of a pattern V:2:m. 0: each row keeps its own.
  std::int64_t block_rows = 0;
  /// It says which elements of C are computed.
  bool of_outputs = false;

  friend auto operator<=>(const Pattern&, const Pattern&) = default;

  [[nodiscard]] bool is_dense() const { return n == m; }
  [[nodiscard]] bool is_composed() const { return kept_of_block != 0; }
  /// Of the elements those that are kept.
  [[nodiscard]] double share() const { return static_cast<double>(n) / static_cast<double>(m); }
  /// True of V:2:m.
  [[nodiscard]] bool selects_columns() const { return block_rows != 0; }
  /// The pattern of every row by itself: 2:m of V:2:m.
  [[nodiscard]] Pattern of_rows() const { return {n, m, granule, kept_of_block, 0, of_outputs}; }
  /// What A is stored as: dense, if the pattern is of C.
  [[nodiscard]] Pattern of_a() const { return of_outputs ? Pattern() : *this; }
  /// Of so many elements of C those that are computed, in whole groups.
  [[nodiscard]] std::int64_t outputs_of(std::int64_t elements) const {
    return of_outputs ? (elements + m - 1) / m * n : elements;
  }
  /// Elements kept of each kept granule.
  [[nodiscard]] std::int64_t kept_inside() const { return is_composed() ? kept_of_block : granule; }
  /// The pattern of granules: {2, 4} for "4:8 pairs", {4, 8} for "4:8x2:4".
  [[nodiscard]] Pattern of_granules() const { return {n / kept_inside(), m / granule}; }
  /// Bits that say where in its group a granule stood: ceil(log2(m / granule)); none if dense.
  [[nodiscard]] std::int64_t position_bits() const;
  /// Bits of metadata that locate the kept elements of one group by an index each: position_bits()
  /// for each granule, and of a composed pattern as many for each element as its block needs.
  [[nodiscard]] std::int64_t metadata_bits_per_group() const;
  /// "2:4", "4:8 pairs", "4:8x2:4", "128:2:10", "2:4 outputs", or "dense".
  [[nodiscard]] std::string to_string() const;
};

inline constexpr Pattern kDense{1, 1};
/// Largest group size any supported metadata format addresses.
inline constexpr std::int64_t kMaxGroup = 128;
/// The rest of V:2:m when the columns that are not selected are left out.
inline constexpr Pattern kOfSelectedColumns{2, 4};
/// What windows of a pattern (2N-2):2N are (common/gemm.hpp).
inline constexpr Pattern kOfWindows{2, 4};
/// Most rows of a block of V:2:m.
inline constexpr std::int64_t kMaxBlockRows = 65536;

/// Parses "n:m" with 1 <= n <= m <= kMaxGroup, "n:m pairs" with n and m even, "n:mxn:m" (blocks,
/// then the elements of each; at most kMaxGroup elements in all), "V:2:m" with 1 <= V <=
/// kMaxBlockRows and 4 <= m <= kMaxGroup (2:4 if m is 4: nothing is left to select), "n:m outputs",
/// or "dense". Nothing if malformed.
[[nodiscard]] std::optional<Pattern> pattern_from_string(std::string_view text);
/// The same of an operand: nothing for outputs.
[[nodiscard]] std::optional<Pattern> operand_pattern_from_string(std::string_view text);

/// True if every tensor with pattern `tensor` also satisfies `hardware`: in no aligned group of
/// hardware.m elements more than hardware.of_granules().n granules can hold non-zeros, and in no
/// block of a composed pattern more elements than are kept. Of composed tensors on other hardware
/// than their own only what follows from n and m, from each block alone, or from blocks of the same
/// size is known to fit; of V:2:m what 2:m says of each row: hardware knows nothing of columns that
/// rows share. Outputs fit outputs alone.
[[nodiscard]] bool fits(Pattern tensor, Pattern hardware);

}  // namespace stcsim
