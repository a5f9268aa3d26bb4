#include "models/functional/compressed_matrix.hpp"

#include <algorithm>
#include <string>

#include "common/error.hpp"
#include "models/functional/metadata_codec.hpp"
#include "models/functional/number_format.hpp"

namespace stcsim {
namespace {

GlobalTensor make_tensor(DataType type, std::int64_t batch_count, std::int64_t rows,
                         std::int64_t columns, bool columns_contiguous) {
  GlobalTensor tensor{type,
                      batch_count,
                      rows,
                      columns,
                      columns_contiguous ? columns : 1,
                      columns_contiguous ? 1 : rows,
                      {}};
  tensor.bits.resize(as_size(batch_count * rows * columns));
  return tensor;
}

[[noreturn]] void throw_violation(Pattern pattern, std::int64_t batch, std::int64_t row,
                                  std::int64_t group, std::int64_t used) {
  std::string what = pattern.granule == 1 ? " non-zeros" : " pairs with non-zeros";
  if (pattern.is_composed()) what = " blocks with non-zeros";
  throw ConfigError("A does not satisfy " + pattern.to_string() + ": batch " +
                    std::to_string(batch) + ", row " + std::to_string(row) + ", group " +
                    std::to_string(group) + " (k from " + std::to_string(group * pattern.m) +
                    ") has " + std::to_string(used) + what + ", at most " +
                    std::to_string(pattern.of_granules().n) + " are allowed");
}

[[noreturn]] void throw_full_block(Pattern pattern, std::int64_t batch, std::int64_t row,
                                   std::int64_t begin, std::int64_t used) {
  throw ConfigError("A does not satisfy " + pattern.to_string() + ": batch " +
                    std::to_string(batch) + ", row " + std::to_string(row) +
                    ", the block of k from " + std::to_string(begin) + " has " +
                    std::to_string(used) + " non-zeros, at most " +
                    std::to_string(pattern.kept_of_block) + " are allowed");
}

/// The fate of a granule of a group, or of an element of a block.
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
        elements_(as_size(pattern.m)),
        granules_(as_size(pattern.of_granules().m)) {}

  void compress_group(std::int64_t row, std::int64_t group, CompressedMatrix& result) {
    const Pattern granules = pattern_.of_granules();
    load(row, group);
    const std::int64_t used = std::ranges::count(granules_, Use::kept);
    if (used > granules.n) throw_violation(pattern_, batch_, row, group, used);
    fill_up(granules_, granules.n - used);
    kept_.clear();
    for (std::int64_t at = 0; at < granules.m; ++at) {
      if (granules_[as_size(at)] == Use::kept) keep_granule(row, group, at);
    }
    result.set_group(row, group, kept_, group_);
  }

 private:
  /// Reads the group and finds its elements and granules that are not zero.
  void load(std::int64_t row, std::int64_t group) {
    std::ranges::fill(group_, 0);
    std::ranges::fill(elements_, Use::dropped);
    std::ranges::fill(granules_, Use::dropped);
    const std::int64_t begin = group * pattern_.m;
    const std::size_t first = a_.offset(batch_, row, begin);
    const auto count = as_size(std::min(pattern_.m, a_.columns - begin));
    for (std::size_t at = 0; at < count; ++at) {
      group_[at] = a_.bits[first + at * as_size(a_.column_stride)];
      if (decode(a_.type, group_[at]) == 0.0) continue;
      elements_[at] = granules_[at / as_size(pattern_.granule)] = Use::kept;
    }
  }

  /// All of its elements, or of a block those that hold non-zeros, filled up.
  void keep_granule(std::int64_t row, std::int64_t group, std::int64_t granule) {
    const std::int64_t begin = granule * pattern_.granule;
    const auto elements = std::span(elements_).subspan(as_size(begin), as_size(pattern_.granule));
    const std::int64_t used = std::ranges::count(elements, Use::kept);
    if (used > pattern_.kept_inside()) {
      throw_full_block(pattern_, batch_, row, group * pattern_.m + begin, used);
    }
    fill_up(elements, pattern_.kept_inside() - used);
    for (std::int64_t at = 0; at < pattern_.granule; ++at) {
      if (elements[as_size(at)] == Use::kept) {
        kept_.push_back(static_cast<std::int32_t>(begin + at));
      }
    }
  }

  const GlobalTensor& a_;
  std::int64_t batch_;
  Pattern pattern_;
  std::vector<std::uint32_t> group_;
  std::vector<Use> elements_;
  std::vector<Use> granules_;
  std::vector<std::int32_t> kept_;
};

}  // namespace

GlobalTensor make_a_tensor(const GemmProblem& problem) {
  return make_tensor(problem.dtype, problem.batch_count, problem.m, problem.k,
                     problem.a_layout == OperandLayout::k_major);
}

GlobalTensor make_b_tensor(const GemmProblem& problem) {
  return make_tensor(problem.dtype, problem.batch_count, problem.k, problem.n,
                     problem.b_layout == OperandLayout::mn_major);
}

GlobalTensor make_c_tensor(const GemmProblem& problem) {
  return make_tensor(output_of(problem.dtype), problem.batch_count, problem.m, problem.n,
                     problem.c_layout == OutputLayout::row_major);
}

CompressedMatrix::CompressedMatrix(Pattern pattern, std::int64_t rows, std::int64_t k,
                                   MetadataFormat format)
    : pattern_(pattern),
      format_(format),
      group_bits_(metadata_bits_per_group(pattern, format)),
      rows_(rows),
      k_(k),
      groups_(ceil_div(k, pattern.m)),
      words_per_row_(ceil_div(groups_ * group_bits_, kWordBits)),
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

std::vector<std::int32_t> CompressedMatrix::kept(std::int64_t row, std::int64_t group) const {
  std::vector<std::int32_t> kept(as_size(pattern_.n));
  decode_group(pattern_, format_, row_metadata(row), group * group_bits_, group, kept);
  return kept;
}

void CompressedMatrix::set_group(std::int64_t row, std::int64_t group,
                                 std::span<const std::int32_t> kept,
                                 std::span<const std::uint32_t> values) {
  encode_group(pattern_, format_, kept, mutable_metadata(row), group * group_bits_);
  auto to = values_.begin() + (row * groups_ + group) * pattern_.n;
  for (const std::int32_t at : kept) *to++ = values[as_size(at)];
}

std::vector<bool> CompressedMatrix::telling_bits(DataType type, std::int64_t row,
                                                 std::int64_t group) const {
  const auto values = row_values(row).subspan(as_size(group * pattern_.n), as_size(pattern_.n));
  const auto is_value = [&](std::uint32_t word) { return decode(type, word) != 0; };
  const bool is_by_position = format_.coding == MetadataCoding::index && !pattern_.is_composed();
  const std::int64_t slots = is_by_position ? pattern_.of_granules().n : 1;
  const std::size_t of_slot = as_size(pattern_.n / slots);
  std::vector<bool> tells;
  for (std::int64_t bit = 0; bit < group_bits_; ++bit) {
    const std::size_t slot = as_size(bit / (group_bits_ / slots));
    tells.push_back(std::ranges::any_of(values.subspan(slot * of_slot, of_slot), is_value));
  }
  return tells;
}

MetadataPlace CompressedMatrix::place_of_bit(DataType type, std::int64_t bit) const {
  std::int64_t before = 0;
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (std::int64_t group = 0; group < groups_; ++group) {
      const std::vector<bool> tells = telling_bits(type, row, group);
      for (std::size_t at = 0; at < tells.size(); ++at) {
        if (tells[at] && before++ == bit) return {row, group, static_cast<std::int64_t>(at)};
      }
    }
  }
  throw ConfigError("the operand has no metadata bit " + std::to_string(bit) + "; " +
                    std::to_string(before) + " say where values stand");
}

void CompressedMatrix::flip_metadata_bit(const MetadataPlace& place) {
  const std::int64_t offset = place.group * group_bits_ + place.bit;
  const std::uint32_t bit = read_bits(row_metadata(place.row), offset, 1);
  write_bits(mutable_metadata(place.row), offset, 1, ~bit);
}

CompressedMatrix compress(const GlobalTensor& a, std::int64_t batch, Pattern pattern,
                          MetadataFormat format) {
  CompressedMatrix result(pattern, a.rows, a.columns, format);
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
    auto value = matrix.row_values(row).begin();
    for (std::int64_t group = 0; group < matrix.groups_per_row(); ++group) {
      for (const std::int32_t place : matrix.kept(row, group)) {
        const std::int64_t at = group * pattern.m + place;
        if (place != kNoElement && at < matrix.k()) bits[as_size(row * matrix.k() + at)] = *value;
        ++value;
      }
    }
  }
  return bits;
}

}  // namespace stcsim
