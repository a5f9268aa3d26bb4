#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/data_type.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// The code by which metadata say which elements of a group are kept.
enum class MetadataCoding : std::uint8_t {
  /// The position of each kept element, in as many bits as the largest needs.
  index,
  /// One number for each group: which of all C(m, n) choices it is.
  enumerated,
  /// A bit for each element of the group, set where it is kept.
  bitmask
};

[[nodiscard]] std::string_view to_string(MetadataCoding coding);
/// By the names index, enumerated, bitmask; nothing for any other.
[[nodiscard]] std::optional<MetadataCoding> metadata_coding_from_string(std::string_view name);

/// `kept` of `of` things.
struct Choice {
  std::int64_t kept = 0;
  std::int64_t of = 0;
};

/// The number of such choices; nothing above 2^62.
[[nodiscard]] std::optional<std::int64_t> choices(Choice choice);

/// The layout of sparse hardware's metadata. A group's are fields, one after the other without
/// gaps: one for each position (index), or one for the whole choice. Of a composed pattern the
/// choice of blocks comes first, then that of each kept block. Where whole granules are kept,
/// granules are counted.
struct MetadataFormat {
  MetadataCoding coding = MetadataCoding::index;
  /// Fields are as wide as the next power of two: they are cut out of words without a shifter for
  /// any offset. What is added is zero.
  bool has_power_of_two_fields = false;

  friend auto operator<=>(const MetadataFormat&, const MetadataFormat&) = default;

  /// Bits of one choice; none where all is kept. Throws ConfigError if there are more choices to
  /// enumerate than choices() counts.
  [[nodiscard]] std::int64_t field_bits(Choice choice) const;
  [[nodiscard]] std::int64_t bits(Choice choice) const;
};

/// Bits of metadata of one group; none if dense.
[[nodiscard]] std::int64_t metadata_bits_per_group(Pattern pattern, MetadataFormat format);

/// The kept part of a piece of one row.
struct RowContents {
  std::int64_t values = 0;
  std::int64_t metadata_bits = 0;
};

/// The contents of `k` consecutive elements kept as `pattern`: n values of every group of m, and
/// metadata that say where they stood; by default ceil(log2 m) bits each, of pairs one position of
/// ceil(log2(m/2)) bits. A last group that reaches beyond k counts as a whole one. The format of
/// sparse tensor cores, generalised from 2:4 (Mishra et al., "Accelerating Sparse Deep Neural
/// Networks", arXiv:2104.08378, 2021) and from 4:8 pairs (PTX ISA, "Sparse matrix storage").
[[nodiscard]] RowContents row_contents(std::int64_t k, Pattern pattern, MetadataFormat format = {});

/// Bytes a piece of one row of an operand takes.
struct RowBytes {
  /// In memory, in shared memory and in registers alike.
  std::int64_t values = 0;
  std::int64_t metadata = 0;
  /// Of the blocks of kept values, in memory and in shared memory.
  std::int64_t scales = 0;

  friend bool operator==(const RowBytes&, const RowBytes&) = default;
};

/// The same in bytes, values and metadata in whole ones.
[[nodiscard]] RowBytes row_bytes(std::int64_t k, Pattern pattern, DataType dtype,
                                 MetadataFormat format = {});

}  // namespace stcsim
