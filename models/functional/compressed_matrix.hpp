#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/counts.hpp"
#include "common/gemm.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// `batch_count` matrices of rows x columns in global memory, as raw bits of `type` (one element
/// per word, see encode()). Matrices follow one another without gaps.
struct GlobalTensor {
  DataType type = DataType::fp16;
  std::int64_t batch_count = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;     // elements between (r, c) and (r + 1, c)
  std::int64_t column_stride = 0;  // elements between (r, c) and (r, c + 1)
  std::vector<std::uint32_t> bits;

  /// Position of an element in `bits`.
  [[nodiscard]] std::size_t offset(std::int64_t batch, std::int64_t row,
                                   std::int64_t column) const {
    return as_size(batch * rows * columns + row * row_stride + column * column_stride);
  }
};

/// Zero tensors in the layouts `problem` asks for.
[[nodiscard]] GlobalTensor make_a_tensor(const GemmProblem& problem);  // M x K
[[nodiscard]] GlobalTensor make_b_tensor(const GemmProblem& problem);  // K x N
[[nodiscard]] GlobalTensor make_c_tensor(const GemmProblem& problem);  // M x N, of the output type

/// A bit of the metadata of one row's group.
struct MetadataPlace {
  std::int64_t row = 0;
  std::int64_t group = 0;
  std::int64_t bit = 0;
};

/// A rows x k matrix compressed along k for n:m hardware.
///
/// Of every aligned group of m elements, n values are stored in ascending order, and metadata that
/// say where they stood (MetadataFormat): by default the position of each in the group,
/// ceil(log2 m) bits wide. Where pairs are kept, both values of a pair are stored and one position
/// for it, counted in pairs. A last group that reaches beyond k counts as filled up with zeros.
/// This is the format of sparse tensor cores, generalised from 2:4 (Mishra et al., "Accelerating
/// Sparse Deep Neural Networks", arXiv:2104.08378, 2021) and from 4:8 pairs (PTX ISA, "Sparse
/// matrix storage").
class CompressedMatrix {
 public:
  /// All values and positions 0. `pattern` must be sparse.
  CompressedMatrix(Pattern pattern, std::int64_t rows, std::int64_t k, MetadataFormat format = {});

  [[nodiscard]] Pattern pattern() const { return pattern_; }
  [[nodiscard]] MetadataFormat format() const { return format_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t k() const { return k_; }
  [[nodiscard]] std::int64_t groups_per_row() const { return groups_; }

  /// The row's stored values, group after group: groups_per_row() * n raw words.
  [[nodiscard]] std::span<const std::uint32_t> row_values(std::int64_t row) const;
  /// The row's metadata, group after group, packed without gaps; every row starts a new word.
  [[nodiscard]] std::span<const std::uint32_t> row_metadata(std::int64_t row) const;
  /// Decodes the metadata: the place within its group of each of its n stored values.
  [[nodiscard]] std::vector<std::int32_t> kept(std::int64_t row, std::int64_t group) const;

  /// Stores a group; `kept`: its n kept elements, ascending, as the pattern allows; `values`: all
  /// its m elements.
  void set_group(std::int64_t row, std::int64_t group, std::span<const std::int32_t> kept,
                 std::span<const std::uint32_t> values);
  /// The metadata bit number `bit` of those that say where values stand, row by row and group by
  /// group: by position those of slots that hold a value, else all of a group that has one. Throws
  /// ConfigError if there are not so many.
  /// @param type  of the values
  [[nodiscard]] MetadataPlace place_of_bit(DataType type, std::int64_t bit) const;
  /// Inverts that bit of the metadata.
  void flip_metadata_bit(const MetadataPlace& place);

 private:
  /// Bits of a group's metadata that say where its values stand: a flag for each.
  [[nodiscard]] std::vector<bool> telling_bits(DataType type, std::int64_t row,
                                               std::int64_t group) const;
  [[nodiscard]] std::span<std::uint32_t> mutable_metadata(std::int64_t row);

  Pattern pattern_;
  MetadataFormat format_;
  std::int64_t group_bits_;
  std::int64_t rows_;
  std::int64_t k_;
  std::int64_t groups_;
  std::int64_t words_per_row_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> metadata_;
};

/// Compresses matrix `batch` of `a` (M x K, any layout). Groups with fewer than n non-zeros (or n/2
/// pairs that hold some, or blocks) are filled with their lowest unused positions, whose values are
/// zeros. Throws ConfigError naming row and group if a group has more.
[[nodiscard]] CompressedMatrix compress(const GlobalTensor& a, std::int64_t batch, Pattern pattern,
                                        MetadataFormat format = {});

/// The uncompressed raw bits, rows x k with k contiguous; positions not stored are 0.
[[nodiscard]] std::vector<std::uint32_t> decompress(const CompressedMatrix& matrix);

}  // namespace stcsim
