#include "models/functional/metadata_codec.hpp"

#include <array>
#include <string>

#include "common/error.hpp"

namespace stcsim {
namespace {

/// Positions of one choice, ascending; at most kMaxGroup of them.
using Positions = std::array<std::int32_t, kMaxGroup>;

/// 0 if there are not as many to choose from.
std::int64_t number_of(std::int64_t kept, std::int64_t of) {
  return kept > of ? 0 : choices({kept, of}).value_or(0);
}

void write_wide(std::span<std::uint32_t> words, std::int64_t offset, std::int64_t count,
                std::uint64_t value) {
  for (; count > 0; count -= kWordBits, offset += kWordBits, value >>= kWordBits) {
    write_bits(words, offset, std::min(count, kWordBits), static_cast<std::uint32_t>(value));
  }
}

std::uint64_t read_wide(std::span<const std::uint32_t> words, std::int64_t offset,
                        std::int64_t count) {
  const std::int64_t low = std::min(count, kWordBits);
  std::uint64_t value = read_bits(words, offset, low);
  if (count > low) {
    value |= std::uint64_t{read_bits(words, offset + low, count - low)} << kWordBits;
  }
  return value;
}

std::uint64_t rank_of(std::span<const std::int32_t> positions) {
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    rank += number_of(static_cast<std::int64_t>(i) + 1, positions[i]);
  }
  return static_cast<std::uint64_t>(rank);
}

void positions_of(std::uint64_t rank, Choice choice, std::span<std::int32_t> positions) {
  auto left = static_cast<std::int64_t>(rank);
  std::int64_t position = choice.of - 1;
  for (std::int64_t i = choice.kept; i >= 1; --i, --position) {
    while (number_of(i, position) > left) --position;
    left -= number_of(i, position);
    positions[as_size(i - 1)] = static_cast<std::int32_t>(position);
  }
}

/// Goes through the fields of a group.
class FieldWriter {
 public:
  FieldWriter(MetadataFormat format, std::span<std::uint32_t> words, std::int64_t offset)
      : format_(format), words_(words), offset_(offset) {}

  void write(Choice choice, std::span<const std::int32_t> positions) {
    const std::int64_t bits = format_.field_bits(choice);
    switch (format_.coding) {
      case MetadataCoding::index:
        for (const std::int32_t position : positions) {
          put(bits, static_cast<std::uint64_t>(position));
        }
        break;
      case MetadataCoding::enumerated:
        put(bits, bits == 0 ? 0 : rank_of(positions));
        break;
      case MetadataCoding::bitmask:
        for (std::int64_t at = 0; at < bits; ++at) {
          put(1, std::ranges::count(positions, static_cast<std::int32_t>(at)) > 0 ? 1 : 0);
        }
        break;
    }
  }

 private:
  void put(std::int64_t bits, std::uint64_t value) {
    write_wide(words_, offset_, bits, value);
    offset_ += bits;
  }

  MetadataFormat format_;
  std::span<std::uint32_t> words_;
  std::int64_t offset_;
};

class FieldReader {
 public:
  FieldReader(MetadataFormat format, std::span<const std::uint32_t> words, std::int64_t offset,
              std::int64_t group)
      : format_(format), words_(words), offset_(offset), group_(group) {}

  void read(Choice choice, std::span<std::int32_t> positions) {
    const std::int64_t bits = format_.field_bits(choice);
    if (bits == 0) {
      for (std::size_t i = 0; i < positions.size(); ++i) {
        positions[i] = static_cast<std::int32_t>(i);
      }
      return;
    }
    switch (format_.coding) {
      case MetadataCoding::index:
        for (std::int32_t& position : positions) {
          position = static_cast<std::int32_t>(take(bits, choice.of, "value"));
        }
        break;
      case MetadataCoding::enumerated:
        positions_of(take(bits, number_of(choice.kept, choice.of), "choice"), choice, positions);
        break;
      case MetadataCoding::bitmask:
        read_mask(bits, choice, positions);
        break;
    }
  }

 private:
  std::uint64_t take(std::int64_t bits, std::int64_t limit, const char* what) {
    const std::uint64_t value = read_wide(words_, offset_, bits);
    offset_ += bits;
    if (value < static_cast<std::uint64_t>(limit)) return value;
    throw SimulationError("operand_selector: metadata selects " + std::string(what) + " " +
                          std::to_string(value) + " of group " + std::to_string(group_) +
                          ", but a group has " + std::to_string(limit) + " " + what + "s");
  }

  void read_mask(std::int64_t bits, Choice choice, std::span<std::int32_t> positions) {
    std::size_t found = 0;
    bool is_right = true;
    for (std::int64_t at = 0; at < bits; ++at, ++offset_) {
      if (read_bits(words_, offset_, 1) == 0) continue;
      is_right = is_right && at < choice.of && found < positions.size();
      if (is_right) positions[found++] = static_cast<std::int32_t>(at);
    }
    std::ranges::fill(positions.subspan(found), kNoElement);
    if (is_right) return;
    throw SimulationError("operand_selector: the metadata mask of group " + std::to_string(group_) +
                          " keeps more than " + std::to_string(choice.kept) + " of " +
                          std::to_string(choice.of));
  }

  MetadataFormat format_;
  std::span<const std::uint32_t> words_;
  std::int64_t offset_;
  std::int64_t group_;
};

}  // namespace

void encode_group(Pattern pattern, MetadataFormat format, std::span<const std::int32_t> kept,
                  std::span<std::uint32_t> words, std::int64_t offset) {
  const Pattern granules = pattern.of_granules();
  const auto inside = as_size(pattern.kept_inside());
  const auto size = static_cast<std::int32_t>(pattern.granule);
  FieldWriter writer(format, words, offset);
  Positions positions;
  const auto granule_count = as_size(granules.n);
  for (std::size_t i = 0; i < granule_count; ++i) positions.at(i) = kept[i * inside] / size;
  writer.write({granules.n, granules.m}, std::span(positions).first(granule_count));
  if (!pattern.is_composed()) return;
  for (std::size_t i = 0; i < granule_count; ++i) {
    for (std::size_t j = 0; j < inside; ++j) positions.at(j) = kept[i * inside + j] % size;
    writer.write({pattern.kept_of_block, pattern.granule}, std::span(positions).first(inside));
  }
}

void decode_group(Pattern pattern, MetadataFormat format, std::span<const std::uint32_t> words,
                  std::int64_t offset, std::int64_t group, std::span<std::int32_t> kept) {
  const Pattern granules = pattern.of_granules();
  const auto inside = as_size(pattern.kept_inside());
  FieldReader reader(format, words, offset, group);
  if (pattern.granule == 1) return reader.read({pattern.n, pattern.m}, kept);
  Positions blocks;
  Positions positions;
  const auto granule_count = as_size(granules.n);
  reader.read({granules.n, granules.m}, std::span(blocks).first(granule_count));
  const Choice within{pattern.kept_inside(), pattern.granule};
  for (std::size_t i = 0; i < granule_count; ++i) {
    reader.read(within, std::span(positions).first(inside));
    for (std::size_t j = 0; j < inside; ++j) {
      const bool is_none = blocks.at(i) == kNoElement || positions.at(j) == kNoElement;
      const std::int32_t first = blocks.at(i) * static_cast<std::int32_t>(pattern.granule);
      kept[i * inside + j] = is_none ? kNoElement : first + positions.at(j);
    }
  }
}

}  // namespace stcsim
