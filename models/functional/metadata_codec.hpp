#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/counts.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// A bit string packed into 32-bit words, bit 0 of word 0 first.
inline constexpr std::int64_t kWordBits = 32;

/// The `count` (at most 32) bits at `offset`; the first one is the result's bit 0.
[[nodiscard]] inline std::uint32_t read_bits(std::span<const std::uint32_t> words,
                                             std::int64_t offset, std::int64_t count) {
  if (count == 0) return 0;
  const std::size_t word = as_size(offset) / kWordBits;
  const std::size_t shift = as_size(offset) % kWordBits;
  std::uint64_t window = words[word];
  if (shift + as_size(count) > kWordBits) {
    window |= std::uint64_t{words[word + 1]} << std::uint64_t{kWordBits};
  }
  return static_cast<std::uint32_t>((window >> shift) & ((std::uint64_t{1} << count) - 1));
}

/// Overwrites the `count` (at most 32) bits at `offset`.
inline void write_bits(std::span<std::uint32_t> words, std::int64_t offset, std::int64_t count,
                       std::uint32_t value) {
  while (count > 0) {
    const auto shift = static_cast<std::int64_t>(as_size(offset) % kWordBits);
    const std::int64_t now = std::min(count, kWordBits - shift);
    const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << now) - 1) << shift);
    std::uint32_t& word = words[as_size(offset) / kWordBits];
    word = (word & ~mask) | ((value << shift) & mask);
    value = static_cast<std::uint32_t>(std::uint64_t{value} >> now);
    offset += now;
    count -= now;
  }
}

/// Copies `count` bits from `offset` of `from` to the start of `to`.
inline void copy_bits(std::span<const std::uint32_t> from, std::int64_t offset, std::int64_t count,
                      std::span<std::uint32_t> to) {
  for (std::int64_t done = 0; done < count; done += kWordBits) {
    const std::int64_t now = std::min(count - done, kWordBits);
    write_bits(to, done, now, read_bits(from, offset + done, now));
  }
}

/// Lays out the metadata of one group at bit `offset` of `words`, as hardware of this format reads
/// them. Enumerated choices p0 < p1 < ... have the number C(p0, 1) + C(p1, 2) + ... (combinatorial
/// number system: Knuth, "The Art of Computer Programming" 4A, section 7.2.1.3).
/// @param kept  elements of the group that are kept, ascending: pattern.n of them, in whole
///              granules, or pattern.kept_of_block of each block
void encode_group(Pattern pattern, MetadataFormat format, std::span<const std::int32_t> kept,
                  std::span<std::uint32_t> words, std::int64_t offset);

/// The answer of decode_group() for a stored value that no bit of a mask stands for.
inline constexpr std::int32_t kNoElement = -1;

/// Elements of the group that its metadata at bit `offset` say are kept, into `kept` (pattern.n of
/// them). Index metadata may name elements in any order, or one twice; each field is taken at its
/// word. A mask may keep fewer: what is filled up with zeros beyond the edges of a tensor keeps
/// nothing. Throws SimulationError where a field names what no group has, or more than a group
/// keeps. @param group  for the message
void decode_group(Pattern pattern, MetadataFormat format, std::span<const std::uint32_t> words,
                  std::int64_t offset, std::int64_t group, std::span<std::int32_t> kept);

}  // namespace stcsim
