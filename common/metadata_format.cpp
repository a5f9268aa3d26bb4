#include "common/metadata_format.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "common/counts.hpp"
#include "common/error.hpp"

namespace stcsim {
namespace {

constexpr std::int64_t kMostChoices = std::int64_t{1} << 62;

constexpr std::array<std::pair<std::string_view, MetadataCoding>, 3> kCodings{
    {{"index", MetadataCoding::index},
     {"enumerated", MetadataCoding::enumerated},
     {"bitmask", MetadataCoding::bitmask}}};

/// That tell so many things apart.
std::int64_t bits_for(std::int64_t things) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(things - 1)));
}

std::int64_t unpadded_field_bits(MetadataCoding coding, Choice choice) {
  if (coding == MetadataCoding::index) return bits_for(choice.of);
  if (coding == MetadataCoding::bitmask) return choice.of;
  const std::optional<std::int64_t> all = choices(choice);
  if (all) return bits_for(*all);
  throw ConfigError("metadata cannot enumerate the choices of " + std::to_string(choice.kept) +
                    " of " + std::to_string(choice.of) + ", which are more than 2^62");
}

}  // namespace

std::string_view to_string(MetadataCoding coding) {
  return kCodings.at(static_cast<std::size_t>(coding)).first;
}

std::optional<MetadataCoding> metadata_coding_from_string(std::string_view name) {
  for (const auto& [known, coding] : kCodings) {
    if (known == name) return coding;
  }
  return std::nullopt;
}

std::optional<std::int64_t> choices(Choice choice) {
  std::int64_t count = 1;
  const std::int64_t dropped = choice.of - choice.kept;
  const std::int64_t fewer = choice.kept < dropped ? choice.kept : dropped;
  for (std::int64_t i = 1; i <= fewer; ++i) {
    // C(of, i) = C(of, i - 1) * (of - i + 1) / i, divided first.
    const std::int64_t common = std::gcd(count, i);
    const std::int64_t factor = (choice.of - i + 1) / (i / common);
    count /= common;
    if (count > kMostChoices / factor) return std::nullopt;
    count *= factor;
  }
  return count;
}

std::int64_t MetadataFormat::field_bits(Choice choice) const {
  if (choice.kept == choice.of) return 0;
  const std::int64_t bits = unpadded_field_bits(coding, choice);
  if (!has_power_of_two_fields) return bits;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bits)));
}

std::int64_t MetadataFormat::bits(Choice choice) const {
  return (coding == MetadataCoding::index ? choice.kept : 1) * field_bits(choice);
}

std::int64_t metadata_bits_per_group(Pattern pattern, MetadataFormat format) {
  if (pattern.is_dense()) return 0;
  const Pattern granules = pattern.of_granules();
  return format.bits({granules.n, granules.m}) +
         granules.n * format.bits({pattern.kept_inside(), pattern.granule});
}

RowContents row_contents(std::int64_t k, Pattern pattern, MetadataFormat format) {
  const std::int64_t groups = ceil_div(k, pattern.m);
  return {groups * pattern.n, groups * metadata_bits_per_group(pattern, format)};
}

RowBytes row_bytes(std::int64_t k, Pattern pattern, DataType dtype, MetadataFormat format) {
  constexpr std::int64_t kBitsPerByte = 8;
  const RowContents row = row_contents(k, pattern, format);
  return {bytes_of(dtype, row.values), ceil_div(row.metadata_bits, kBitsPerByte),
          scale_bytes_of(dtype, row.values)};
}

}  // namespace stcsim
