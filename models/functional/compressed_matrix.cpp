#include "models/functional/compressed_matrix.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "models/functional/packed_bits.hpp"

namespace stcsim {
namespace {

[[noreturn]] void throw_violation(Pattern pattern, std::int64_t batch, std::int64_t row,
                                  std::int64_t group, std::int64_t nonzeros) {
  throw ConfigError("A does not satisfy " + pattern.to_string() + ": batch " +
                    std::to_string(batch) + ", row " + std::to_string(row) + ", group " +
                    std::to_string(group) + " (k from " + std::to_string(group * pattern.m) +
                    ") has " + std::to_string(nonzeros) + " non-zeros, at most " +
                    std::to_string(pattern.n) + " are allowed");
}

/// Marks the lowest unused positions until `n` are kept.
void fill_up(std::vector<bool>& kept, std::int64_t n) {
  std::int64_t missing = n - std::ranges::count(kept, true);
  for (std::size_t at = 0; missing > 0; ++at) {
    if (kept[at]) continue;
    kept[at] = true;
    --missing;
  }
}

/// Compresses matrices of one tensor; holds the scratch of one group.
class Compressor {
 public:
  Compressor(const GlobalTensor& a, std::int64_t batch, Pattern pattern)
      : a_(a), batch_(batch), pattern_(pattern) {}

  void compress_group(std::int64_t row, std::int64_t group, CompressedMatrix& result) {
    group_.assign(as_size(pattern_.m), 0);
    kept_.assign(as_size(pattern_.m), false);
    const std::int64_t begin = group * pattern_.m;
    for (std::int64_t at = 0; at < std::min(pattern_.m, a_.columns - begin); ++at) {
      group_[as_size(at)] = a_.bits[a_.offset(batch_, row, begin + at)];
      kept_[as_size(at)] = decode(a_.type, group_[as_size(at)]) != 0.0;
    }
    const std::int64_t nonzeros = std::ranges::count(kept_, true);
    if (nonzeros > pattern_.n) throw_violation(pattern_, batch_, row, group, nonzeros);
    fill_up(kept_, pattern_.n);
    std::int64_t slot = 0;
    for (std::int64_t at = 0; at < pattern_.m; ++at) {
      if (kept_[as_size(at)]) result.set(row, group, slot++, group_[as_size(at)], at);
    }
  }

 private:
  const GlobalTensor& a_;
  std::int64_t batch_;
  Pattern pattern_;
  std::vector<std::uint32_t> group_;
  std::vector<bool> kept_;
};

}  // namespace

CompressedMatrix::CompressedMatrix(Pattern pattern, std::int64_t rows, std::int64_t k)
    : pattern_(pattern),
      rows_(rows),
      k_(k),
      groups_(ceil_div(k, pattern.m)),
      words_per_row_(ceil_div(groups_ * pattern.metadata_bits_per_group(), kWordBits)),
      values_(as_size(rows * groups_ * pattern.n)),
      metadata_(as_size(rows * words_per_row_)) {}

std::span<const std::uint32_t> CompressedMatrix::row_values(std::int64_t row) const {
  const std::int64_t length = groups_ * pattern_.n;
  return std::span(values_).subspan(as_size(row * length), as_size(length));
}

std::span<const std::uint32_t> CompressedMatrix::row_metadata(std::int64_t row) const {
  return std::span(metadata_).subspan(as_size(row * words_per_row_), as_size(words_per_row_));
}

std::span<std::uint32_t> CompressedMatrix::mutable_metadata(std::int64_t row) {
  return std::span(metadata_).subspan(as_size(row * words_per_row_), as_size(words_per_row_));
}

std::int64_t CompressedMatrix::metadata_offset(std::int64_t group, std::int64_t slot) const {
  const std::int64_t group_bits = pattern_.metadata_bits_per_group();
  return group * group_bits + slot * (group_bits / pattern_.n);
}

std::int64_t CompressedMatrix::position(std::int64_t row, std::int64_t group,
                                        std::int64_t slot) const {
  return read_bits(row_metadata(row), metadata_offset(group, slot),
                   pattern_.metadata_bits_per_group() / pattern_.n);
}

void CompressedMatrix::set(std::int64_t row, std::int64_t group, std::int64_t slot,
                           std::uint32_t value, std::int64_t position) {
  values_[as_size((row * groups_ + group) * pattern_.n + slot)] = value;
  write_bits(mutable_metadata(row), metadata_offset(group, slot),
             pattern_.metadata_bits_per_group() / pattern_.n, static_cast<std::uint32_t>(position));
}

void CompressedMatrix::flip_metadata_bit(std::int64_t row, std::int64_t group, std::int64_t bit) {
  const std::int64_t offset = metadata_offset(group, 0) + bit;
  write_bits(mutable_metadata(row), offset, 1, ~read_bits(row_metadata(row), offset, 1));
}

CompressedMatrix compress(const GlobalTensor& a, std::int64_t batch, Pattern pattern) {
  CompressedMatrix result(pattern, a.rows, a.columns);
  Compressor compressor(a, batch, pattern);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t group = 0; group < result.groups_per_row(); ++group) {
      compressor.compress_group(row, group, result);
    }
  }
  return result;
}

std::vector<std::uint32_t> decompress(const CompressedMatrix& matrix) {
  const Pattern pattern = matrix.pattern();
  std::vector<std::uint32_t> bits(as_size(matrix.rows() * matrix.k()));
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    const auto values = matrix.row_values(row);
    for (std::int64_t i = 0; i < matrix.groups_per_row() * pattern.n; ++i) {
      const std::int64_t group = i / pattern.n;
      const std::int64_t at = group * pattern.m + matrix.position(row, group, i % pattern.n);
      if (at < matrix.k()) bits[as_size(row * matrix.k() + at)] = values[as_size(i)];
    }
  }
  return bits;
}

}  // namespace stcsim
