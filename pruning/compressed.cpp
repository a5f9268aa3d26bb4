#include "pruning/compressed.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "common/counts.hpp"
#include "common/error.hpp"

namespace stcsim::pruning {
namespace {

constexpr std::int64_t kWordBits = 32;

/// Sets `count` bits, which are 0, from `offset` on.
void write_bits(std::uint32_t* words, std::int64_t offset, std::int64_t count,
                std::uint32_t value) {
  const std::uint64_t shifted = std::uint64_t{value} << (offset % kWordBits);
  words[offset / kWordBits] |= static_cast<std::uint32_t>(shifted);
  if (offset % kWordBits + count > kWordBits) {
    words[offset / kWordBits + 1] |= static_cast<std::uint32_t>(shifted >> kWordBits);
  }
}

/// Positions to store, of granules: those that hold non-zeros and, if there are too few, the lowest
/// others. Returns the number of the former.
std::int64_t choose_positions(std::span<const float> group, Pattern pattern,
                              std::array<std::uint8_t, kMaxGroup>& stored) {
  stored.fill(0);
  for (std::size_t at = 0; at < group.size(); ++at) {
    if (group[at] != 0) stored.at(at / as_size(pattern.granule)) = 1;
  }
  const std::int64_t used = std::ranges::count(stored, 1);
  std::int64_t missing = pattern.of_granules().n - used;
  for (std::size_t at = 0; missing > 0; ++at) {
    if (stored.at(at) != 0) continue;
    stored.at(at) = 1;
    --missing;
  }
  return used;
}

[[noreturn]] void throw_violation(Pattern pattern, std::int64_t row, std::int64_t group,
                                  std::int64_t used) {
  const char* const what = pattern.granule == 1 ? "non-zeros" : "pairs with non-zeros";
  throw ConfigError(fmt::format(
      "the values do not have the pattern {}: row {}, group {} (from element {}) has {} "
      "{}, at most {} are allowed",
      pattern.to_string(), row, group, group * pattern.m, used, what, pattern.of_granules().n));
}

void compress_group(const Matrix& matrix, std::int64_t row, std::int64_t group,
                    Compressed& result) {
  const Pattern pattern = result.pattern;
  const std::int64_t begin = group * pattern.m;
  const std::int64_t length = std::min(pattern.m, matrix.columns - begin);
  const auto values = matrix.row(row).subspan(as_size(begin), as_size(length));
  std::array<std::uint8_t, kMaxGroup> stored{};
  const Pattern granules = pattern.of_granules();
  const std::int64_t used = choose_positions(values, pattern, stored);
  if (used > granules.n) throw_violation(pattern, row, group, used);
  const std::int64_t bits = pattern.position_bits();
  std::int64_t slot = group * granules.n;
  for (std::int64_t at = 0; at < granules.m; ++at) {
    if (stored.at(as_size(at)) == 0) continue;
    float* const to =
        &result.values[as_size((row * result.groups * granules.n + slot) * pattern.granule)];
    const std::int64_t first = at * pattern.granule;
    const std::int64_t count = std::clamp<std::int64_t>(length - first, 0, pattern.granule);
    std::copy_n(values.begin() + std::min(first, length), count, to);
    write_bits(&result.metadata[as_size(row * result.words_per_row)], slot * bits, bits,
               static_cast<std::uint32_t>(at));
    ++slot;
  }
}

}  // namespace

Compressed compress(const Matrix& matrix, Pattern pattern) {
  Compressed result{pattern, matrix.rows, matrix.columns, groups_per_row(matrix, pattern.m), 0,
                    {},      {}};
  const std::int64_t bits = result.groups * pattern.metadata_bits_per_group();
  result.words_per_row = (bits + kWordBits - 1) / kWordBits;
  result.values.resize(as_size(matrix.rows * result.groups * pattern.n));
  result.metadata.resize(as_size(matrix.rows * result.words_per_row));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t group = 0; group < result.groups; ++group) {
      compress_group(matrix, row, group, result);
    }
  }
  return result;
}

}  // namespace stcsim::pruning
