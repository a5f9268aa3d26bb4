#pragma once

#include <cstdint>
#include <span>

#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// Lays out the metadata of one group at bit `offset` of `words`, as hardware of this format reads
/// them. Enumerated choices p0 < p1 < ... have the number C(p0, 1) + C(p1, 2) + ... (combinatorial
/// number system: Knuth, "The Art of Computer Programming" 4A, section 7.2.1.3).
/// @param kept  elements of the group that are kept, ascending: pattern.n of them, in whole
///              granules, or pattern.kept_of_block of each block
void encode_group(Pattern pattern, MetadataFormat format, std::span<const std::int32_t> kept,
                  std::span<std::uint32_t> words, std::int64_t offset);

/// What decode_group() says of a stored value that no bit of a mask stands for.
inline constexpr std::int32_t kNoElement = -1;

/// Elements of the group that its metadata at bit `offset` say are kept, into `kept` (pattern.n of
/// them). Index metadata may name elements in any order, or one twice; each field is taken at its
/// word. A mask may keep fewer: what is filled up with zeros beyond the edges of a tensor keeps
/// nothing. Throws SimulationError where a field names what no group has, or more than a group
/// keeps. @param group  for the message
void decode_group(Pattern pattern, MetadataFormat format, std::span<const std::uint32_t> words,
                  std::int64_t offset, std::int64_t group, std::span<std::int32_t> kept);

}  // namespace stcsim
