#include "common/compressed_row.hpp"

#include "common/counts.hpp"

namespace stcsim {

RowContents row_contents(std::int64_t k, Pattern pattern, MetadataFormat format) {
  const std::int64_t groups = ceil_div(k, pattern.m);
  return {groups * pattern.n, groups * metadata_bits_per_group(pattern, format)};
}

RowBytes row_bytes(std::int64_t k, Pattern pattern, DataType dtype, MetadataFormat format) {
  constexpr std::int64_t kBitsPerByte = 8;
  const RowContents row = row_contents(k, pattern, format);
  return {bytes_of(dtype, row.values), ceil_div(row.metadata_bits, kBitsPerByte)};
}

}  // namespace stcsim
