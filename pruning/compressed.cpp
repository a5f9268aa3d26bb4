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

std::int64_t position_bits(Pattern pattern) {
  return pattern.metadata_bits_per_group() / pattern.n;
}

/// Sets `count` bits, which are 0, from `offset` on.
void write_bits(std::uint32_t* words, std::int64_t offset, std::int64_t count,
                std::uint32_t value) {
  const std::uint64_t shifted = std::uint64_t{value} << (offset % kWordBits);
  words[offset / kWordBits] |= static_cast<std::uint32_t>(shifted);
  if (offset % kWordBits + count > kWordBits) {
    words[offset / kWordBits + 1] |= static_cast<std::uint32_t>(shifted >> kWordBits);
  }
}

std::uint32_t read_bits(const std::uint32_t* words, std::int64_t offset, std::int64_t count) {
  std::uint64_t window = words[offset / kWordBits];
  if (offset % kWordBits + count > kWordBits) {
    window |= std::uint64_t{words[offset / kWordBits + 1]} << kWordBits;
  }
  return static_cast<std::uint32_t>((window >> (offset % kWordBits)) &
                                    ((std::uint64_t{1} << count) - 1));
}

/// Positions to store: the non-zeros and, if there are fewer than n, the lowest others.
/// Returns the number of non-zeros.
std::int64_t choose_positions(std::span<const float> group, Pattern pattern,
                              std::array<std::uint8_t, kMaxGroup>& stored) {
  stored.fill(0);
  std::int64_t nonzeros = 0;
  for (std::size_t at = 0; at < group.size(); ++at) {
    if (group[at] == 0) continue;
    stored.at(at) = 1;
    ++nonzeros;
  }
  std::int64_t missing = pattern.n - nonzeros;
  for (std::size_t at = 0; missing > 0; ++at) {
    if (stored.at(at) != 0) continue;
    stored.at(at) = 1;
    --missing;
  }
  return nonzeros;
}

[[noreturn]] void throw_violation(Pattern pattern, std::int64_t row, std::int64_t group,
                                  std::int64_t nonzeros) {
  throw ConfigError(fmt::format(
      "the values do not have the pattern {}: row {}, group {} (from element {}) has {} non-zeros, "
      "at most {} are allowed",
      pattern.to_string(), row, group, group * pattern.m, nonzeros, pattern.n));
}

void compress_group(const Matrix& matrix, std::int64_t row, std::int64_t group,
                    Compressed& result) {
  const Pattern pattern = result.pattern;
  const std::int64_t begin = group * pattern.m;
  const std::int64_t length = std::min(pattern.m, matrix.columns - begin);
  const auto values = matrix.row(row).subspan(as_size(begin), as_size(length));
  std::array<std::uint8_t, kMaxGroup> stored{};
  const std::int64_t nonzeros = choose_positions(values, pattern, stored);
  if (nonzeros > pattern.n) throw_violation(pattern, row, group, nonzeros);
  const std::int64_t bits = position_bits(pattern);
  std::int64_t slot = group * pattern.n;
  for (std::int64_t at = 0; at < pattern.m; ++at) {
    if (stored.at(as_size(at)) == 0) continue;
    if (at < length) {
      result.values[as_size(row * result.groups * pattern.n + slot)] = values[as_size(at)];
    }
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

Matrix decompress(const Compressed& compressed) {
  const Pattern pattern = compressed.pattern;
  const std::int64_t bits = position_bits(pattern);
  const std::int64_t slots = compressed.groups * pattern.n;
  Matrix matrix(compressed.rows, compressed.columns);
  for (std::int64_t row = 0; row < compressed.rows; ++row) {
    const std::uint32_t* const words =
        &compressed.metadata[as_size(row * compressed.words_per_row)];
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      const std::int64_t column =
          slot / pattern.n * pattern.m + read_bits(words, slot * bits, bits);
      if (column >= matrix.columns) continue;
      matrix.at(row, column) = compressed.values[as_size(row * slots + slot)];
    }
  }
  return matrix;
}

}  // namespace stcsim::pruning
