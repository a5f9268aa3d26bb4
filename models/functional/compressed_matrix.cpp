#include "models/functional/compressed_matrix.hpp"

#include <algorithm>
#include <string>

#include "common/compressed_row.hpp"
#include "common/error.hpp"
#include "models/functional/number_format.hpp"
#include "models/functional/packed_bits.hpp"

namespace stcsim {
namespace {

[[noreturn]] void throw_violation(Pattern pattern, std::int64_t batch, std::int64_t row,
                                  std::int64_t group, std::int64_t used) {
  const std::string what = pattern.granule == 1 ? " non-zeros" : " pairs with non-zeros";
  throw ConfigError("A does not satisfy " + pattern.to_string() + ": batch " +
                    std::to_string(batch) + ", row " + std::to_string(row) + ", group " +
                    std::to_string(group) + " (k from " + std::to_string(group * pattern.m) +
                    ") has " + std::to_string(used) + what + ", at most " +
                    std::to_string(pattern.of_granules().n) + " are allowed");
}

/// What becomes of a granule of a group.
enum class Use : std::uint8_t { dropped, kept };

/// Keeps the `missing` lowest positions that are not kept yet.
void fill_up(std::span<Use> uses, std::int64_t missing) {
  for (std::size_t at = 0; missing > 0; ++at) {
    if (uses[at] == Use::kept) continue;
    uses[at] = Use::kept;
    --missing;
  }
}

/// Compresses matrices of one tensor; holds the scratch of one group.
class Compressor {
 public:
  Compressor(const GlobalTensor& a, std::int64_t batch, Pattern pattern)
      : a_(a),
        batch_(batch),
        pattern_(pattern),
        group_(as_size(pattern.m)),
        uses_(as_size(pattern.of_granules().m)) {}

  void compress_group(std::int64_t row, std::int64_t group, CompressedMatrix& result) {
    const Pattern granules = pattern_.of_granules();
    const std::int64_t used = load(row, group);
    if (used > granules.n) throw_violation(pattern_, batch_, row, group, used);
    fill_up(uses_, granules.n - used);
    const auto size = as_size(pattern_.granule);
    std::int64_t slot = 0;
    for (std::int64_t at = 0; at < granules.m; ++at) {
      if (uses_[as_size(at)] == Use::dropped) continue;
      result.set(row, group, slot++, std::span(group_).subspan(as_size(at) * size, size), at);
    }
  }

 private:
  /// Reads the group, keeps its granules that hold non-zeros and returns their number.
  std::int64_t load(std::int64_t row, std::int64_t group) {
    std::ranges::fill(group_, 0);
    std::ranges::fill(uses_, Use::dropped);
    const std::int64_t begin = group * pattern_.m;
    const std::size_t first = a_.offset(batch_, row, begin);
    const auto count = as_size(std::min(pattern_.m, a_.columns - begin));
    for (std::size_t at = 0; at < count; ++at) {
      group_[at] = a_.bits[first + at * as_size(a_.column_stride)];
      if (decode(a_.type, group_[at]) != 0.0) uses_[at / as_size(pattern_.granule)] = Use::kept;
    }
    return std::ranges::count(uses_, Use::kept);
  }

  const GlobalTensor& a_;
  std::int64_t batch_;
  Pattern pattern_;
  std::vector<std::uint32_t> group_;
  std::vector<Use> uses_;
};

}  // namespace

CompressedMatrix::CompressedMatrix(Pattern pattern, std::int64_t rows, std::int64_t k)
    : pattern_(pattern),
      rows_(rows),
      k_(k),
      groups_(ceil_div(k, pattern.m)),
      words_per_row_(ceil_div(row_contents(k, pattern).metadata_bits, kWordBits)),
      values_(as_size(rows * row_contents(k, pattern).values)),
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
  return group * pattern_.metadata_bits_per_group() + slot * pattern_.position_bits();
}

std::int64_t CompressedMatrix::position(std::int64_t row, std::int64_t group,
                                        std::int64_t slot) const {
  return read_bits(row_metadata(row), metadata_offset(group, slot), pattern_.position_bits());
}

void CompressedMatrix::set(std::int64_t row, std::int64_t group, std::int64_t slot,
                           std::span<const std::uint32_t> values, std::int64_t position) {
  std::ranges::copy(
      values, values_.begin() + (row * groups_ + group) * pattern_.n + slot * pattern_.granule);
  write_bits(mutable_metadata(row), metadata_offset(group, slot), pattern_.position_bits(),
             static_cast<std::uint32_t>(position));
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
      const std::int64_t slot = i % pattern.n / pattern.granule;
      const std::int64_t at = group * pattern.m +
                              matrix.position(row, group, slot) * pattern.granule +
                              i % pattern.granule;
      if (at < matrix.k()) bits[as_size(row * matrix.k() + at)] = values[as_size(i)];
    }
  }
  return bits;
}

}  // namespace stcsim
